import { Plus, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Group } from 'react-aria-components';
import { sentence } from '../format/sentence.ts';
import { Button, IconButton } from './buttons.tsx';
import {
  type FieldTexts,
  fieldClasses,
  NumberField,
  RadioGroup,
  Select,
  Switch,
  TextAreaField,
  TextField,
} from './fields.tsx';
import { Folded } from './folded.tsx';
import { JsonEditor } from './json-editor.tsx';
import { errorsBelow } from './schema-faults.ts';
import {
  type Field,
  type FieldSchema,
  type FormValue,
  fieldOf,
  groupsOf,
  readable,
  usableSchema,
  withField,
} from './schema-fields.ts';
import { fittingKind } from './schema-fit.ts';
import { SecretField } from './secret-field.tsx';
import { jsonText, readJson, UnreadableJson } from './unreadable-json.ts';

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
  /** What a page says below a field. */
  below?: OwnField;
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
  below,
  depth = 0,
}: SchemaFormProps) {
  if (Object.keys(usableSchema(schema).properties ?? {}).length > maxFields)
    return <WholeObject {...{ schema, value, onChange, isReadOnly }} />;
  const groups = groupsOf(schema, value, depth);
  return groups.map(({ title, fields, isRare }) => {
    const controls = fields.map((field) => {
      const given = fieldOf(value, field.name);
      const props: SchemaFieldProps = {
        field: { ...field, kind: fittingKind(field, given) },
        value: given,
        onChange: (next) => onChange(withField(value, field.name, next)),
        errors,
        setAt: secrets[field.name],
        isReadOnly,
      };
      return (
        <div key={field.name} {...(depth === 0 && { 'data-field': field.name })}>
          {ownField?.(props, value) ?? anyField(props)}
          {below?.(props, value)}
        </div>
      );
    });
    if (isRare) {
      return (
        <Folded
          key="rare"
          title="More options"
          isOpen={fields.some((field) => isInUse(field, fieldOf(value, field.name)))}
        >
          <div className="flex flex-col gap-4">{controls}</div>
        </Folded>
      );
    }
    return (
      <section key={title ?? ''} aria-label={title} className="flex flex-col gap-4">
        {title !== undefined && <h2 className="font-semibold text-base">{title}</h2>}
        {controls}
      </section>
    );
  });
}

/** Whether a field says something of its own. */
function isInUse({ schema }: Field, value: unknown): boolean {
  return value !== undefined && value !== null && JSON.stringify(value) !== JSON.stringify(schema.default);
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
function SchemaField({ field, value, onChange, errors, setAt, isReadOnly }: SchemaFieldProps): ReactNode {
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

interface JsonFieldProps extends FieldTexts {
  /** Any JSON, or UnreadableJson while it is being typed. */
  value: unknown;
  onChange: (value: unknown) => void;
  isReadOnly: boolean;
  className?: string;
}

/** A value edited as JSON. The text stays as it was typed: reformatting it would move the cursor. */
export function JsonField({ value, onChange, ...props }: JsonFieldProps) {
  const [text, setText] = useState(() => jsonText(value));
  const isCurrent = JSON.stringify(readJson(text)) === JSON.stringify(value);
  return (
    <JsonEditor
      {...props}
      text={isCurrent ? text : jsonText(value)}
      onChange={(next) => {
        setText(next);
        onChange(readJson(next));
      }}
    />
  );
}

interface ListFieldProps extends FieldTexts {
  value: readonly unknown[];
  onChange: (value: unknown[] | undefined) => void;
  /** Of single entries, by position. */
  errors: ReadonlyMap<string, string>;
  isNumber?: boolean;
  isReadOnly?: boolean;
}

/** A list of short texts or numbers, one per line. */
function ListField({ value, onChange, errors, error, isNumber, isReadOnly, ...texts }: ListFieldProps) {
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

interface MapFieldProps extends FieldTexts {
  value: Record<string, unknown>;
  onChange: (value: Record<string, unknown> | undefined) => void;
  /** Of single entries, by name. */
  errors: ReadonlyMap<string, string>;
  isReadOnly?: boolean;
}

type Row = [name: string, value: string];

/** Names and their values. A row without a name is not part of the value yet. */
function MapField({ label, description, error, value, onChange, errors, isReadOnly }: MapFieldProps) {
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
      {error !== undefined && (
        <p data-fault className="text-danger-ink text-sm">
          {sentence(error)}
        </p>
      )}
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
