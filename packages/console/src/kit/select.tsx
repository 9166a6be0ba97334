import { Check, ChevronDown } from 'lucide-react';
import {
  Select as AriaSelect,
  Button,
  ListBox,
  ListBoxItem,
  Popover,
  SelectValue,
  Text,
} from 'react-aria-components';
import { classes } from './classes.ts';
import { FieldLabel, FieldNotes, type FieldTexts, fieldClasses, inputClasses } from './field-parts.tsx';

export interface Option<Value extends string> {
  value: Value;
  label: string;
  description?: string;
}

interface SelectProps<Value extends string> extends FieldTexts {
  options: readonly Option<Value>[];
  value: Value | null;
  onChange: (value: Value) => void;
  placeholder?: string;
  isDisabled?: boolean;
  className?: string;
}

export function Select<Value extends string>({
  label,
  hideLabel,
  description,
  error,
  options,
  value,
  onChange,
  placeholder,
  isDisabled,
  className,
}: SelectProps<Value>) {
  return (
    <AriaSelect
      selectedKey={value}
      onSelectionChange={(key) => key !== null && onChange(key as Value)}
      validationBehavior="aria"
      isInvalid={error !== undefined}
      {...(placeholder && { placeholder })}
      {...(isDisabled && { isDisabled })}
      className={classes(fieldClasses, className)}
    >
      <FieldLabel label={label} {...(hideLabel && { hideLabel })} />
      <Button
        className={classes(
          inputClasses,
          'flex h-8 items-center justify-between gap-2 text-left pointer-coarse:h-11',
        )}
      >
        <SelectValue className="truncate data-placeholder:text-ink-3 [&_[slot=description]]:hidden [&_svg]:hidden" />
        <ChevronDown aria-hidden className="size-4 shrink-0 text-ink-3" />
      </Button>
      <FieldNotes description={description} error={error} />
      <Popover className="min-w-(--trigger-width) max-w-96 overflow-auto rounded-md bg-raised p-1 shadow-menu data-entering:animate-appear">
        <ListBox items={options.map((option) => ({ ...option, id: option.value }))} className="outline-none">
          {(option) => (
            <ListBoxItem
              textValue={option.label}
              className="group flex items-start gap-2 rounded-sm px-2 py-1.5 text-base outline-none data-focused:bg-hover pointer-coarse:py-2.5"
            >
              <Check
                aria-hidden
                className="mt-0.5 size-4 shrink-0 opacity-0 group-data-selected:opacity-100"
              />
              <span className="min-w-0">
                <Text slot="label">{option.label}</Text>
                {option.description && (
                  <Text slot="description" className="block text-ink-3 text-sm">
                    {option.description}
                  </Text>
                )}
              </span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
