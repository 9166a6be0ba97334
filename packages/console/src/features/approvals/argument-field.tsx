import type { OwnField } from '../../kit/schema-form.tsx';
import { TextAreaField, TextField } from '../../kit/text-field.tsx';

/** Arguments that are fixed, and texts: a field of one line would change those of several. */
export const argumentField: OwnField = ({ field, value, onChange, errors }) => {
  const { title, schema, name, kind, isRequired } = field;
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
  if (kind !== 'text' && kind !== 'long-text') return undefined;
  return (
    <TextAreaField
      label={title}
      value={typeof value === 'string' ? value : ''}
      onChange={(text) => onChange(text === '' && !isRequired ? undefined : text)}
      minRows={1}
      isCode
      spellCheck="false"
      error={errors.get(name)}
    />
  );
};
