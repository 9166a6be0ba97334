import type { OwnField } from '../../kit/schema-form.tsx';
import { TextAreaField, TextField } from '../../kit/text-field.tsx';

const maxLineCharacters = 80;

/** Arguments that are fixed, and texts of several lines, which a field of one line would change. */
export const argumentField: OwnField = ({ field, value, onChange, errors }) => {
  const { title, schema, name, kind } = field;
  if ('const' in schema) {
    return (
      <TextField
        label={title}
        value={typeof schema['const'] === 'string' ? schema['const'] : JSON.stringify(schema['const'])}
        isReadOnly
        isCode
        description="Cannot be changed: the request was shown for exactly this."
      />
    );
  }
  if (kind !== 'text' || typeof value !== 'string' || !isLong(value)) return undefined;
  return (
    <TextAreaField
      label={title}
      value={value}
      onChange={onChange}
      isCode
      spellCheck="false"
      error={errors.get(name)}
    />
  );
};

function isLong(text: string): boolean {
  return text.length > maxLineCharacters || text.includes('\n');
}
