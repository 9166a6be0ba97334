import { useState } from 'react';
import { Group } from 'react-aria-components';
import { dayOf } from '../format/time.ts';
import { Button } from './buttons.tsx';
import { FieldLabel, type FieldTexts, fieldClasses, TextField } from './fields.tsx';

interface SecretFieldProps extends FieldTexts {
  /** Undefined keeps the stored one, null removes it. */
  value: string | null | undefined;
  onChange: (value: string | null | undefined) => void;
  /** When the stored one was set; undefined if there is none. */
  setAt?: string | undefined;
  isRequired?: boolean;
  isReadOnly?: boolean;
}

/** A value that can be written and never read. */
export function SecretField(props: SecretFieldProps) {
  const { label, description, error, value, onChange, setAt, isRequired = false, isReadOnly = false } = props;
  const [isReplacing, setReplacing] = useState(false);
  if (setAt !== undefined && !isReplacing && typeof value !== 'string') {
    return (
      <Group aria-label={label} className={fieldClasses}>
        <FieldLabel label={label} />
        <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1">
          <span className="text-ink-2">
            {value === null ? 'Will be removed when you save' : storedText(setAt)}
          </span>
          {!isReadOnly && value !== null && (
            <Button size="small" onPress={() => setReplacing(true)}>
              Replace
            </Button>
          )}
          {!isReadOnly && value === null && (
            <Button size="small" onPress={() => onChange(undefined)}>
              Keep it
            </Button>
          )}
          {!isReadOnly && !isRequired && value !== null && (
            <Button size="small" look="quiet" onPress={() => onChange(null)}>
              Remove
            </Button>
          )}
        </div>
        {error !== undefined && (
          <p role="alert" data-fault className="text-danger-ink text-sm">
            {error}
          </p>
        )}
      </Group>
    );
  }
  return (
    <TextField
      label={label}
      type="password"
      autoComplete="off"
      description={description}
      error={error}
      value={value ?? ''}
      onChange={(text) => onChange(text === '' ? undefined : text)}
      isReadOnly={isReadOnly}
      autoFocus={isReplacing}
      after={
        isReplacing && (
          <Button
            look="quiet"
            onPress={() => {
              setReplacing(false);
              onChange(undefined);
            }}
          >
            Cancel
          </Button>
        )
      }
    />
  );
}

function storedText(setAt: string): string {
  return setAt === '' ? '•••• set' : `•••• set ${dayOf(new Date(setAt))}`;
}
