import { Plus, X } from 'lucide-react';
import { Button, IconButton } from '../../../kit/buttons.tsx';
import { TextAreaField } from '../../../kit/fields.tsx';
import { type Line, newLine } from './scenario-form.ts';

interface LineFieldsProps {
  title: string;
  description: string;
  /** One of them: "Message". */
  one: string;
  lines: readonly Line[];
  onChange: (lines: Line[]) => void;
  errorOf: (line: Line) => string | undefined;
  error?: string | undefined;
  /** Shown below a line, such as what the bot answered. */
  notes?: readonly string[];
  isReadOnly: boolean;
}

/** A list of texts, one field each. */
export function LineFields({
  title,
  description,
  one,
  lines,
  onChange,
  errorOf,
  error,
  notes,
  isReadOnly,
}: LineFieldsProps) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="font-medium text-sm">{title}</legend>
      <p className="text-ink-3 text-sm">{description}</p>
      {lines.map((line, index) => (
        <div key={line.id} className="flex items-start gap-1">
          <div className="min-w-0 flex-1">
            <TextAreaField
              label={`${one} ${index + 1}`}
              hideLabel
              minRows={1}
              maxRows={8}
              value={line.text}
              isReadOnly={isReadOnly}
              onChange={(text) =>
                onChange(lines.map((other) => (other.id === line.id ? { ...line, text } : other)))
              }
              error={errorOf(line)}
              {...(notes?.[index] && { description: `Answered: ${notes[index]}` })}
            />
          </div>
          {!isReadOnly && (
            <IconButton
              label={`Remove ${one.toLowerCase()} ${index + 1}`}
              icon={<X aria-hidden />}
              onPress={() => onChange(lines.filter(({ id }) => id !== line.id))}
            />
          )}
        </div>
      ))}
      {error && (
        <p role="alert" className="text-danger-ink text-sm">
          {title} {error}.
        </p>
      )}
      {!isReadOnly && (
        <Button
          size="small"
          icon={<Plus aria-hidden />}
          className="self-start"
          onPress={() => onChange([...lines, newLine()])}
        >
          Add {one.toLowerCase()}
        </Button>
      )}
    </fieldset>
  );
}
