import { useState } from 'react';
import type { FieldTexts } from './field-parts.tsx';
import { TextField } from './text-field.tsx';

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
