import { TextField } from '../../kit/text-field.tsx';
import { colorNotice, sixDigits } from './look.ts';

interface ColorFieldProps {
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
  isReadOnly: boolean;
}

/** A color as text and as the picker of the browser, with a note when links need another shade. */
export function ColorField({ value, onChange, error, isReadOnly }: ColorFieldProps) {
  const color = sixDigits(value);
  const wrong = color ? undefined : 'must be a hex color such as #4f46e5';
  return (
    <TextField
      label="Color"
      isCode
      isReadOnly={isReadOnly}
      value={value}
      onChange={onChange}
      error={error ?? wrong}
      description={colorNotice(value)}
      after={
        <input
          type="color"
          aria-label="Choose a color"
          value={color ?? '#000000'}
          disabled={isReadOnly}
          onChange={(event) => onChange(event.currentTarget.value)}
          className="size-8 shrink-0 rounded-md border border-line-strong bg-surface p-0.5 pointer-coarse:size-11"
        />
      }
    />
  );
}
