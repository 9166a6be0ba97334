import type { ReactNode } from 'react';
import { FieldError, Label, Text } from 'react-aria-components';

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
      <FieldError className="text-danger-ink text-sm">{error}</FieldError>
    </>
  );
}
