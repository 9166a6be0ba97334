import type { ReactNode } from 'react';
import { NumberField } from './number-field.tsx';
import { RadioGroup } from './radio-group.tsx';
import { errorsBelow } from './schema-faults.ts';
import { type Field, readable } from './schema-fields.ts';
import { JsonField } from './schema-json-field.tsx';
import { ListField } from './schema-list-field.tsx';
import { MapField } from './schema-map-field.tsx';
import { SecretField } from './secret-field.tsx';
import { Select } from './select.tsx';
import { Switch } from './switch.tsx';
import { TextAreaField, TextField } from './text-field.tsx';

export interface SchemaFieldProps {
  field: Field;
  value: unknown;
  onChange: (value: unknown) => void;
  /** Of this field and of what is in it: `headers`, `headers.accept`. */
  errors: ReadonlyMap<string, string>;
  /** When its stored secret was set. */
  setAt?: string | undefined;
  isReadOnly: boolean;
}

const maxRadios = 3;

/** Any field but an object, whose fields are those of a form of its own. */
export function SchemaField({
  field,
  value,
  onChange,
  errors,
  setAt,
  isReadOnly,
}: SchemaFieldProps): ReactNode {
  const { name, title, kind, schema, isRequired } = field;
  const below = errorsBelow(errors, name);
  const texts = { label: title, description: schema.description, error: errors.get(name) };
  const placeholder = schema.default === undefined ? undefined : textOf(schema.default);
  const orNothing = (text: string) => onChange(text === '' && !isRequired ? undefined : text);
  switch (kind) {
    case 'text':
    case 'long-text': {
      const Kind = kind === 'text' ? TextField : TextAreaField;
      return (
        <Kind
          {...texts}
          value={typeof value === 'string' ? value : ''}
          onChange={orNothing}
          isReadOnly={isReadOnly}
          isRequired={isRequired}
          isCode={schema['x-editor'] === 'template'}
          {...(placeholder && { placeholder })}
          {...(kind === 'long-text' && { minRows: 2 })}
        />
      );
    }
    case 'secret':
      return (
        <SecretField
          // A field that replaced the secret is done once another is stored.
          key={setAt}
          {...texts}
          value={value as string | null | undefined}
          onChange={onChange}
          setAt={setAt}
          isRequired={isRequired}
          isReadOnly={isReadOnly}
        />
      );
    case 'number':
      return (
        <NumberField
          {...texts}
          value={typeof value === 'number' ? value : undefined}
          onChange={onChange}
          isInteger={schema.type === 'integer'}
          isReadOnly={isReadOnly}
          {...(placeholder && { placeholder })}
        />
      );
    case 'boolean':
      return (
        <Switch
          label={title}
          description={texts.error ?? texts.description}
          isOn={(value ?? schema.default) === true}
          onChange={onChange}
          isDisabled={isReadOnly}
        />
      );
    case 'choice':
      return <Choice {...{ field, value, onChange, isReadOnly }} error={texts.error} />;
    case 'map':
      return (
        <MapField
          {...texts}
          value={(value ?? {}) as Record<string, unknown>}
          onChange={onChange}
          errors={below}
          isReadOnly={isReadOnly}
        />
      );
    case 'list':
      return (
        <ListField
          {...texts}
          value={Array.isArray(value) ? value : []}
          onChange={onChange}
          errors={below}
          isNumber={['number', 'integer'].includes(String(schema.items?.type))}
          isReadOnly={isReadOnly}
        />
      );
    case 'object':
    case 'json':
      return <JsonField {...texts} value={value} onChange={onChange} isReadOnly={isReadOnly} />;
  }
}

/** A few choices are seen at once; more are in a list. */
function Choice({
  field: { title, schema },
  value,
  onChange,
  error,
  isReadOnly,
}: Omit<SchemaFieldProps, 'errors' | 'setAt'> & { error: string | undefined }) {
  const options = (schema.enum ?? []).map((one) => ({ value: String(one), label: readable(String(one)) }));
  const given = { options, value: textOf(value ?? schema.default ?? '') || null, onChange, error };
  const texts = { label: title, description: schema.description, isDisabled: isReadOnly };
  return options.length <= maxRadios ? (
    <RadioGroup {...texts} {...given} isInline />
  ) : (
    <Select {...texts} {...given} className="max-w-64" />
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
