import { type ReactNode, useState } from 'react';
import { errorsBelow } from './schema-faults.ts';
import { SchemaField, type SchemaFieldProps } from './schema-field.tsx';
import {
  type FieldSchema,
  type FormValue,
  fieldOf,
  groupsOf,
  usableSchema,
  withField,
} from './schema-fields.ts';
import { fittingKind } from './schema-fit.ts';
import { JsonField } from './schema-json-field.tsx';
import { jsonText, UnreadableJson } from './unreadable-json.ts';

/** What a page edits in its own way; undefined leaves it to the form. */
export type OwnField = (props: SchemaFieldProps, value: FormValue) => ReactNode | undefined;

interface SchemaFormProps {
  /** A JSON Schema of an object. */
  schema: FieldSchema;
  /** May contain UnreadableJson while JSON is being typed: see findFaults. */
  value: FormValue;
  onChange: (value: FormValue) => void;
  /** By path below this object: `url`, `headers.accept`. See fieldErrors. */
  errors?: ReadonlyMap<string, string>;
  /** When each stored secret was set, by field; empty text if that is not known. */
  secrets?: Readonly<Record<string, string>>;
  isReadOnly?: boolean;
  ownField?: OwnField;
  depth?: number;
}

/** A page with more fields would be slow to use. */
const maxFields = 100;
const noErrors: ReadonlyMap<string, string> = new Map();

/** A form made of a JSON Schema. What it cannot show as fields is edited as JSON. */
export function SchemaForm({
  schema,
  value,
  onChange,
  errors = noErrors,
  secrets = {},
  isReadOnly = false,
  ownField,
  depth = 0,
}: SchemaFormProps) {
  if (Object.keys(usableSchema(schema).properties ?? {}).length > maxFields)
    return <WholeObject {...{ schema, value, onChange, isReadOnly }} />;
  const groups = groupsOf(schema, value, depth);
  return groups.map(({ title, fields }) => (
    <section key={title ?? ''} aria-label={title} className="flex flex-col gap-4">
      {title !== undefined && <h2 className="font-semibold text-base">{title}</h2>}
      {fields.map((field) => {
        const given = fieldOf(value, field.name);
        const props: SchemaFieldProps = {
          field: { ...field, kind: fittingKind(field, given) },
          value: given,
          onChange: (next) => onChange(withField(value, field.name, next)),
          errors,
          setAt: secrets[field.name],
          isReadOnly,
        };
        return <div key={field.name}>{ownField?.(props, value) ?? anyField(props)}</div>;
      })}
    </section>
  ));
}

function anyField(props: SchemaFieldProps): ReactNode {
  const { field, value, onChange, errors, isReadOnly } = props;
  if (field.kind !== 'object') return <SchemaField {...props} />;
  return (
    <fieldset className="flex flex-col gap-4 border-line border-l-2 pl-4">
      <legend className="mb-2 font-medium text-sm">{field.title}</legend>
      <SchemaForm
        schema={field.schema}
        value={isFormValue(value) ? value : {}}
        onChange={onChange}
        errors={errorsBelow(errors, field.name)}
        isReadOnly={isReadOnly}
        depth={1}
      />
    </fieldset>
  );
}

const notAnObject = 'must be a JSON object';

/** All fields as one JSON object. While it is not one, the value has a fault under the empty name: see findFaults. */
function WholeObject({
  schema,
  value,
  onChange,
  isReadOnly,
}: Required<Pick<SchemaFormProps, 'schema' | 'value' | 'onChange' | 'isReadOnly'>>) {
  const [typed, setTyped] = useState<unknown>(value);
  const isWrong = !isFormValue(typed);
  return (
    <JsonField
      label="Fields as JSON"
      description={`There are ${Object.keys(schema.properties ?? {}).length} fields, too many for a form.`}
      value={typed}
      onChange={(next) => {
        setTyped(next);
        onChange(isFormValue(next) ? next : { '': new UnreadableJson(jsonText(next), notAnObject) });
      }}
      error={isWrong ? notAnObject : undefined}
      isReadOnly={isReadOnly}
    />
  );
}

function isFormValue(value: unknown): value is FormValue {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof UnreadableJson)
  );
}
