import { useState } from 'react';
import type { FieldTexts } from './field-parts.tsx';
import { TextAreaField } from './text-field.tsx';

interface ListFieldProps extends FieldTexts {
  value: readonly unknown[];
  onChange: (value: unknown[] | undefined) => void;
  /** Of single entries, by position. */
  errors: ReadonlyMap<string, string>;
  isNumber?: boolean;
  isReadOnly?: boolean;
}

/** A list of short texts or numbers, one per line. */
export function ListField({
  value,
  onChange,
  errors,
  error,
  isNumber,
  isReadOnly,
  ...texts
}: ListFieldProps) {
  const [text, setText] = useState('');
  const isCurrent = JSON.stringify(linesOf(text, isNumber)) === JSON.stringify(value);
  const faults = [...errors].map(([position, message]) => `Line ${Number(position) + 1} ${message}.`);
  return (
    <TextAreaField
      {...texts}
      description={texts.description ?? 'One per line.'}
      error={error ?? (faults.length > 0 ? faults.join(' ') : undefined)}
      value={isCurrent ? text : value.map(String).join('\n')}
      onChange={(next) => {
        setText(next);
        const lines = linesOf(next, isNumber);
        onChange(lines.length > 0 ? lines : undefined);
      }}
      minRows={2}
      maxRows={8}
      isCode
      spellCheck="false"
      isReadOnly={isReadOnly ?? false}
    />
  );
}

function linesOf(text: string, isNumber = false): unknown[] {
  const lines = text.split('\n').flatMap((line) => line.trim() || []);
  return isNumber ? lines.map((line) => (Number.isFinite(Number(line)) ? Number(line) : line)) : lines;
}
