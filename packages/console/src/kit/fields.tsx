import { Check, ChevronDown } from 'lucide-react';
import { type ReactNode, type Ref, useEffect, useLayoutEffect, useRef, useState } from 'react';
import {
  Checkbox as AriaCheckbox,
  type CheckboxProps as AriaCheckboxProps,
  RadioGroup as AriaRadioGroup,
  Select as AriaSelect,
  Switch as AriaSwitch,
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
  Button,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Radio,
  SelectValue,
  Text,
  TextArea,
  ToggleButton,
  ToggleButtonGroup,
} from 'react-aria-components';
import { sentence } from '../format/sentence.ts';
import { classes } from './classes.ts';

interface TextFieldProps
  extends FieldTexts,
    Omit<AriaTextFieldProps, 'className' | 'children' | 'style' | 'isInvalid' | 'validate'> {
  placeholder?: string;
  isCode?: boolean;
  inputRef?: Ref<HTMLInputElement>;
  /** Shown at the end of the field, such as a button. */
  after?: ReactNode;
  className?: string;
}

export function TextField({
  label,
  hideLabel,
  description,
  error,
  placeholder,
  isCode,
  inputRef,
  after,
  className,
  ...props
}: TextFieldProps) {
  return (
    <AriaTextField
      {...props}
      validationBehavior="aria"
      isInvalid={error !== undefined}
      className={classes(fieldClasses, className)}
    >
      <FieldLabel label={label} {...(hideLabel && { hideLabel })} />
      <div className="flex items-center gap-2">
        <Input
          {...(inputRef && { ref: inputRef })}
          {...(placeholder && { placeholder })}
          {...(!isCode && { dir: 'auto' })}
          className={classes(inputClasses, 'h-8 pointer-coarse:h-11', isCode && 'font-mono text-sm')}
        />
        {after}
      </div>
      <FieldNotes description={description} error={error} />
    </AriaTextField>
  );
}

interface TextAreaFieldProps extends Omit<TextFieldProps, 'inputRef' | 'after' | 'type'> {
  minRows?: number;
  maxRows?: number;
}

/** Grows with its text. */
export function TextAreaField({
  label,
  hideLabel,
  description,
  error,
  placeholder,
  isCode,
  minRows = 3,
  maxRows = 24,
  className,
  ...props
}: TextAreaFieldProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const { value } = props;
  useLayoutEffect(() => {
    if (area.current) fitHeight(area.current, minRows, maxRows);
  }, [value, minRows, maxRows]);
  useEffect(() => {
    const watched = area.current;
    if (!watched) return;
    let width = watched.clientWidth;
    // It is shown only now, or its lines break elsewhere.
    const observer = new ResizeObserver(() => {
      if (watched.clientWidth === width) return;
      width = watched.clientWidth;
      fitHeight(watched, minRows, maxRows);
    });
    observer.observe(watched);
    return () => observer.disconnect();
  }, [minRows, maxRows]);
  return (
    <AriaTextField
      {...props}
      validationBehavior="aria"
      isInvalid={error !== undefined}
      className={classes(fieldClasses, className)}
    >
      <FieldLabel label={label} {...(hideLabel && { hideLabel })} />
      <TextArea
        ref={area}
        rows={minRows}
        {...(placeholder && { placeholder })}
        {...(!isCode && { dir: 'auto' })}
        onInput={(event) => fitHeight(event.currentTarget, minRows, maxRows)}
        className={classes(inputClasses, 'resize-none py-1.5', isCode && 'font-mono text-sm')}
      />
      <FieldNotes description={description} error={error} />
    </AriaTextField>
  );
}

/** `field-sizing: content` is not in every browser that we support. */
function fitHeight(area: HTMLTextAreaElement, minRows: number, maxRows: number): void {
  const { lineHeight, paddingTop, paddingBottom } = getComputedStyle(area);
  const line = Number.parseFloat(lineHeight) || 22;
  const padding = Number.parseFloat(paddingTop) + Number.parseFloat(paddingBottom);
  area.style.height = 'auto';
  const content = area.scrollHeight - padding;
  const wanted = Math.min(Math.max(content, line * minRows), line * maxRows);
  // The border is a part of the height.
  area.style.height = `${wanted + padding + 2}px`;
}

interface NumberFieldProps extends FieldTexts {
  value: number | undefined;
  onChange: (value: number | undefined) => void;
  isInteger?: boolean;
  placeholder?: string;
  isReadOnly?: boolean;
  className?: string;
}

/** A number as text: what is not a number stays visible and is not a value. */
export function NumberField({ value, onChange, isInteger = false, error, ...props }: NumberFieldProps) {
  const [text, setText] = useState('');
  const read = readNumber(text, isInteger);
  const isWrong = text.trim() !== '' && read === undefined && value === undefined;
  const fault = isInteger ? 'must be a whole number' : 'must be a number';
  const isLarge = Math.abs(Number(text)) > Number.MAX_SAFE_INTEGER;
  return (
    <TextField
      {...props}
      inputMode={isInteger ? 'numeric' : 'decimal'}
      value={isWrong || read === value ? text : String(value ?? '')}
      error={isWrong ? (isLarge ? 'is too large' : fault) : error}
      onChange={(next) => {
        setText(next);
        onChange(readNumber(next, isInteger));
      }}
    />
  );
}

function readNumber(text: string, isInteger: boolean): number | undefined {
  const value = Number(text);
  // Beyond these, another number than the one that was typed would be sent.
  const isExact = !Number.isInteger(value) || Number.isSafeInteger(value);
  if (text.trim() === '' || !Number.isFinite(value) || !isExact) return undefined;
  return isInteger && !Number.isInteger(value) ? undefined : value;
}

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

interface CheckboxProps
  extends Omit<AriaCheckboxProps, 'children' | 'className' | 'style' | 'isIndeterminate'> {
  children: ReactNode;
}

export function Checkbox({ children, ...props }: CheckboxProps) {
  return (
    <AriaCheckbox {...props} className="group flex items-start gap-2 text-base pointer-coarse:py-2.5">
      <span
        aria-hidden
        className="mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-sm border border-line-strong bg-surface group-data-selected:border-accent group-data-selected:bg-accent group-data-selected:text-on-accent group-data-focus-visible:outline-2 group-data-focus-visible:outline-accent-ink group-data-focus-visible:outline-offset-2 group-data-disabled:opacity-50"
      >
        <Check className="invisible size-3 group-data-selected:visible" strokeWidth={3} />
      </span>
      <span className="min-w-0">{children}</span>
    </AriaCheckbox>
  );
}

interface SwitchProps {
  label: string;
  description?: ReactNode;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  isDisabled?: boolean;
}

export function Switch({ label, description, isOn, onChange, isDisabled }: SwitchProps) {
  return (
    <AriaSwitch
      isSelected={isOn}
      onChange={onChange}
      {...(isDisabled && { isDisabled })}
      className="group relative flex items-start gap-3 pointer-coarse:py-2"
    >
      <span
        aria-hidden
        className="mt-0.5 flex h-5 w-9 shrink-0 items-center rounded-full border border-line-strong bg-sunken p-0.5 transition group-data-selected:border-accent group-data-selected:bg-accent group-data-focus-visible:outline-2 group-data-focus-visible:outline-accent-ink group-data-focus-visible:outline-offset-2 group-data-disabled:opacity-50"
      >
        <span className="size-3.5 rounded-full bg-line-strong transition group-data-selected:translate-x-4 group-data-selected:bg-on-accent forced-colors:bg-[CanvasText] forced-colors:group-data-selected:bg-[Highlight]" />
      </span>
      <span>
        <span className="block font-medium text-sm">{label}</span>
        {description && <span className="block text-ink-3 text-sm">{description}</span>}
      </span>
    </AriaSwitch>
  );
}

interface SegmentsProps<Value extends string> {
  label: string;
  /** What each is called. */
  options: Record<Value, string>;
  value: Value;
  onChange: (value: Value) => void;
}

/** A choice between a few views, all of them visible. */
export function Segments<Value extends string>({ label, options, value, onChange }: SegmentsProps<Value>) {
  return (
    <ToggleButtonGroup
      aria-label={label}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => {
        const [chosen] = keys;
        if (chosen !== undefined) onChange(chosen as Value);
      }}
      className="inline-flex rounded-md border border-line-strong bg-surface"
    >
      {Object.entries<string>(options).map(([id, name]) => (
        <ToggleButton
          key={id}
          id={id}
          className="h-7 px-2.5 text-ink-2 text-sm first:rounded-l-md last:rounded-r-md data-selected:bg-selected data-hovered:bg-hover data-selected:font-medium data-selected:text-accent-ink forced-colors:data-selected:bg-[Highlight] forced-colors:data-selected:text-[HighlightText] pointer-coarse:h-11"
        >
          {name}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}

/** What every control of a form has besides itself. */
export interface FieldTexts {
  label: string;
  /** Keeps the label for screen readers only. */
  hideLabel?: boolean;
  description?: ReactNode;
  /** What is wrong with the value; shown instead of nothing. */
  error?: string | undefined;
}

export const inputClasses =
  'w-full min-w-0 rounded-md border border-line-strong bg-surface px-2.5 text-base text-ink data-disabled:opacity-60 data-invalid:border-danger [input:read-only&]:border-line [input:read-only&]:bg-sunken [textarea:read-only&]:border-line [textarea:read-only&]:bg-sunken';

export const fieldClasses = 'flex min-w-0 flex-col gap-1';

export function FieldLabel({ label, hideLabel }: Pick<FieldTexts, 'label' | 'hideLabel'>) {
  return <Label className={hideLabel ? 'sr-only' : 'font-medium text-ink text-sm'}>{label}</Label>;
}

export function FieldNotes({ description, error }: Pick<FieldTexts, 'description' | 'error'>) {
  return (
    <>
      {description && (
        <Text slot="description" className="text-ink-3 text-sm">
          {description}
        </Text>
      )}
      <FieldError data-fault className="text-danger-ink text-sm">
        {error && sentence(error)}
      </FieldError>
    </>
  );
}
