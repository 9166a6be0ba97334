import { type ReactNode, type Ref, useEffect, useLayoutEffect, useRef } from 'react';
import {
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
  Input,
  TextArea,
} from 'react-aria-components';
import { classes } from './classes.ts';
import { FieldLabel, FieldNotes, type FieldTexts, fieldClasses, inputClasses } from './field-parts.tsx';

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
