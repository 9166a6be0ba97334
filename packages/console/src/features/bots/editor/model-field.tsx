import type { ConsoleModels } from '@svc/contract/console-bots';
import { ChevronDown } from 'lucide-react';
import { Button, ComboBox, Input, ListBox, ListBoxItem, Popover, Text } from 'react-aria-components';
import { classes } from '../../../kit/classes.ts';
import { FieldLabel, FieldNotes, fieldClasses, inputClasses } from '../../../kit/fields.tsx';

interface ModelFieldProps {
  models: ConsoleModels | undefined;
  value: string | undefined;
  onChange: (model: string | undefined) => void;
  isReadOnly: boolean;
  error: string | undefined;
}

/** A model by its id. Those that we know are offered, and any other can be typed. */
export function ModelField({ models, value, onChange, isReadOnly, error }: ModelFieldProps) {
  const options = (models?.models ?? []).map(({ id, price }) => ({
    id,
    note: price
      ? price.output === 0
        ? 'free'
        : `$${price.input} in · $${price.output} out, per million tokens`
      : 'price unknown',
  }));
  const standard = models?.default_model ?? '';
  return (
    <ComboBox
      allowsCustomValue
      menuTrigger="focus"
      inputValue={value ?? ''}
      onInputChange={(text) => onChange(text.trim() === '' ? undefined : text.trim())}
      onSelectionChange={(key) => key !== null && onChange(String(key))}
      defaultItems={options}
      isReadOnly={isReadOnly}
      isInvalid={error !== undefined}
      validationBehavior="aria"
      className={classes(fieldClasses, 'max-w-md')}
    >
      <FieldLabel label="Model" />
      <div className="relative">
        <Input
          placeholder={standard && `${standard} (default)`}
          className={classes(inputClasses, 'h-8 pr-8 font-mono text-sm pointer-coarse:h-11')}
        />
        {!isReadOnly && (
          <Button
            aria-label="Show models"
            className="absolute inset-y-0 right-0 flex w-8 items-center justify-center"
          >
            <ChevronDown aria-hidden className="size-4 text-ink-3" />
          </Button>
        )}
      </div>
      <FieldNotes
        description="provider/model. Left empty, the bot answers with the default model of this service."
        error={error}
      />
      <Popover className="w-(--trigger-width) overflow-auto rounded-md bg-raised p-1 shadow-menu data-entering:animate-appear">
        <ListBox className="max-h-80 outline-none">
          {(option: (typeof options)[number]) => (
            <ListBoxItem
              textValue={option.id}
              className="rounded-sm px-2 py-1.5 outline-none data-focused:bg-hover pointer-coarse:py-2.5"
            >
              <Text slot="label" className="block font-mono text-sm">
                {option.id}
              </Text>
              <Text slot="description" className="block text-ink-3 text-xs">
                {option.note}
              </Text>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
