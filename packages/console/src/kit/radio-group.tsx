import { RadioGroup as AriaRadioGroup, Radio } from 'react-aria-components';
import { classes } from './classes.ts';
import { FieldLabel, FieldNotes, type FieldTexts, fieldClasses } from './field-parts.tsx';
import type { Option } from './select.tsx';

interface RadioGroupProps<Value extends string> extends FieldTexts {
  options: readonly Option<Value>[];
  value: Value | null;
  onChange: (value: Value) => void;
  isDisabled?: boolean;
  /** Next to each other instead of one below the other. */
  isInline?: boolean;
}

export function RadioGroup<Value extends string>({
  label,
  hideLabel,
  description,
  error,
  options,
  value,
  onChange,
  isDisabled,
  isInline,
}: RadioGroupProps<Value>) {
  return (
    <AriaRadioGroup
      value={value}
      onChange={(next) => onChange(next as Value)}
      validationBehavior="aria"
      isInvalid={error !== undefined}
      {...(isDisabled && { isDisabled })}
      className={fieldClasses}
    >
      <FieldLabel label={label} {...(hideLabel && { hideLabel })} />
      <div className={classes('flex', isInline ? 'flex-wrap gap-x-6 gap-y-2' : 'flex-col gap-2')}>
        {options.map((option) => (
          <Radio
            key={option.value}
            value={option.value}
            className="group flex items-start gap-2 text-base pointer-coarse:py-2"
          >
            <span
              aria-hidden
              className="mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-full border border-line-strong bg-surface group-data-selected:border-accent group-data-focus-visible:outline-2 group-data-focus-visible:outline-accent-ink group-data-focus-visible:outline-offset-2 group-data-disabled:opacity-50"
            >
              <span className="size-2 rounded-full group-data-selected:bg-accent forced-colors:group-data-selected:bg-[Highlight]" />
            </span>
            <span>
              {option.label}
              {option.description && <span className="block text-ink-3 text-sm">{option.description}</span>}
            </span>
          </Radio>
        ))}
      </div>
      <FieldNotes description={description} error={error} />
    </AriaRadioGroup>
  );
}
