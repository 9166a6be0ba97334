import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { Group } from 'react-aria-components';
import { Button } from './button.tsx';
import { type FieldTexts, fieldClasses } from './field-parts.tsx';
import { IconButton } from './icon-button.tsx';
import { TextField } from './text-field.tsx';

interface MapFieldProps extends FieldTexts {
  value: Record<string, unknown>;
  onChange: (value: Record<string, unknown> | undefined) => void;
  /** Of single entries, by name. */
  errors: ReadonlyMap<string, string>;
  isReadOnly?: boolean;
}

type Row = [name: string, value: string];

/** Names and their values. A row without a name is not part of the value yet. */
export function MapField({ label, description, error, value, onChange, errors, isReadOnly }: MapFieldProps) {
  const [rows, setRows] = useState<Row[]>(() => rowsOf(value));
  const given = rowsOf(value);
  // Rows without a name, and numbers as they were typed, are kept while they mean the value.
  const shown = JSON.stringify(toMap(rows)) === JSON.stringify(toMap(given)) ? rows : given;
  function change(next: Row[]): void {
    setRows(next);
    onChange(next.some(([name]) => name !== '') ? toMap(next) : undefined);
  }
  const put = (index: number, row: Row) => change(shown.map((one, at) => (at === index ? row : one)));
  return (
    <Group aria-label={label} className={fieldClasses}>
      <span className="font-medium text-sm">{label}</span>
      {shown.map(([name, text], index) => (
        <div key={index} className="flex items-start gap-2">
          <TextField
            label={`${label}: name ${index + 1}`}
            hideLabel
            isCode
            placeholder="name"
            value={name}
            isReadOnly={isReadOnly ?? false}
            onChange={(next) => put(index, [next, text])}
            className="w-2/5"
          />
          <TextField
            label={`${label}: value ${index + 1}`}
            hideLabel
            isCode
            placeholder="value"
            value={text}
            isReadOnly={isReadOnly ?? false}
            onChange={(next) => put(index, [name, next])}
            error={errors.get(name)}
            className="flex-1"
          />
          {!isReadOnly && (
            <IconButton
              label={`Remove ${name || 'the row'}`}
              icon={<X aria-hidden />}
              onPress={() => change(shown.filter((_, at) => at !== index))}
            />
          )}
        </div>
      ))}
      {!isReadOnly && (
        <Button
          size="small"
          look="quiet"
          className="self-start"
          icon={<Plus aria-hidden />}
          onPress={() => setRows([...shown, ['', '']])}
        >
          Add
        </Button>
      )}
      {description && <p className="text-ink-3 text-sm">{description}</p>}
      {error !== undefined && <p className="text-danger-ink text-sm">{error}</p>}
    </Group>
  );
}

function rowsOf(value: Record<string, unknown>): Row[] {
  return Object.entries(value).map(([name, one]) => [
    name,
    typeof one === 'string' ? one : JSON.stringify(one),
  ]);
}

function toMap(rows: readonly Row[]): Record<string, unknown> {
  return Object.fromEntries(rows.filter(([name]) => name !== ''));
}
