/** As much of JSON Schema as forms understand; any other keyword leads to the JSON editor or is left to the service. */
export interface FieldSchema {
  type?: string | readonly string[];
  title?: string;
  description?: string;
  default?: unknown;
  enum?: readonly unknown[];
  properties?: Record<string, FieldSchema>;
  required?: readonly string[];
  additionalProperties?: boolean | FieldSchema;
  items?: FieldSchema;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  format?: string;
  'x-secret'?: boolean;
  'x-group'?: string;
  'x-rare'?: boolean;
  'x-show-when'?: Record<string, readonly unknown[]>;
  'x-editor'?: string;
  [keyword: string]: unknown;
}

export type FieldKind =
  | 'text'
  | 'long-text'
  | 'secret'
  | 'number'
  | 'boolean'
  | 'choice'
  | 'map'
  | 'list'
  | 'object'
  | 'json';

export interface Field {
  name: string;
  title: string;
  kind: FieldKind;
  schema: FieldSchema;
  isRequired: boolean;
}

export interface FieldGroup {
  title: string | undefined;
  /** Few people need its fields: they are folded. */
  isRare: boolean;
  fields: Field[];
}

export type FormValue = Record<string, unknown>;

const longTextFrom = 1000;
/** A list of more choices would be slow to open. */
const maxChoices = 300;

const isText = (value: unknown) => typeof value === 'string';
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** What forms rely on, by keyword. */
const shapes = new Map<string, (value: unknown) => boolean>(
  Object.entries({
    title: isText,
    description: isText,
    format: isText,
    'x-group': isText,
    'x-editor': isText,
    enum: Array.isArray,
    required: Array.isArray,
    properties: isObject,
    'x-show-when': (value: unknown) => isObject(value) && Object.values(value as object).every(Array.isArray),
  }),
);

/** Without keywords that forms could not show: schemas also come from MCP servers, and from people who are typing one. */
export function usableSchema(given: unknown): FieldSchema {
  if (!isObject(given)) return {};
  return Object.fromEntries(
    Object.entries(given as object).filter(([name, value]) => shapes.get(name)?.(value) ?? true),
  );
}

/** Undefined for names such as `constructor`, which every object has. */
export function fieldOf(value: FormValue, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** How a field is edited. Objects inside of objects are JSON. */
export function kindOf(schema: FieldSchema, depth = 0): FieldKind {
  if (schema['x-secret']) return 'secret';
  if (schema['x-editor'] === 'json') return 'json';
  if (schema.enum && schema.enum.length <= maxChoices && schema.enum.every(isText)) return 'choice';
  switch (schema.type) {
    case 'string':
      return (schema.maxLength ?? 0) > longTextFrom && schema['x-editor'] !== 'template' && !schema.format
        ? 'long-text'
        : 'text';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'array':
      return isScalar(schema.items) ? 'list' : 'json';
    case 'object':
      return kindOfObject(schema, depth);
    case undefined:
    default:
      return 'json';
  }
}

function kindOfObject({ properties, additionalProperties }: FieldSchema, depth: number): FieldKind {
  if (properties && Object.keys(properties).length > 0) return depth === 0 ? 'object' : 'json';
  return typeof additionalProperties === 'object' && isScalar(additionalProperties) ? 'map' : 'json';
}

function isScalar(schema: FieldSchema | undefined): boolean {
  const types = [schema?.type ?? []].flat();
  return types.length > 0 && types.every((type) => ['string', 'number', 'integer', 'boolean'].includes(type));
}

/** The fields to show for this value, under their headings, in the order of the schema; those that few people need come last. */
export function groupsOf(given: FieldSchema, value: FormValue, depth = 0): FieldGroup[] {
  const schema = usableSchema(given);
  const groups: FieldGroup[] = [];
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const field = usableSchema(property);
    if (!isShown(field, value, schema)) continue;
    const isRare = field['x-rare'] === true;
    const title = isRare ? undefined : field['x-group'];
    const group = groups.find((one) => one.title === title && one.isRare === isRare) ?? {
      title,
      isRare,
      fields: [],
    };
    if (!groups.includes(group)) groups.push(group);
    group.fields.push({
      name,
      title: field.title ?? readable(name),
      kind: kindOf(field, depth),
      schema: field,
      isRequired: schema.required?.includes(name) ?? false,
    });
  }
  return groups.toSorted((one, other) => Number(one.isRare) - Number(other.isRare));
}

function isShown(field: FieldSchema, value: FormValue, schema: FieldSchema): boolean {
  return Object.entries(field['x-show-when'] ?? {}).every(([name, values]) =>
    values.includes(fieldOf(value, name) ?? schema.properties?.[name]?.default),
  );
}

/** A copy with another value of the field; undefined removes it. */
export function withField(value: FormValue, name: string, next: unknown): FormValue {
  const { [name]: _before, ...others } = value;
  return next === undefined ? others : { ...value, [name]: next };
}

/** Without what is not shown, because it does not apply to the rest: the service would refuse or misread it. */
export function shownValue(given: FieldSchema, value: FormValue): FormValue {
  const schema = usableSchema(given);
  const hidden = Object.entries(schema.properties ?? {}).filter(
    ([, field]) => !isShown(usableSchema(field), value, schema),
  );
  return hidden.reduce((rest, [name]) => withField(rest, name, undefined), value);
}

const capitals = new Map(
  Object.entries({
    json: 'JSON',
    url: 'URL',
    id: 'ID',
    oauth2: 'OAuth 2',
    api: 'API',
  }),
);

/** `bearer_token` → `Bearer token`; what is written in capitals stays so. */
export function readable(name: string): string {
  const words = name.split(/[_\s-]+/).filter(Boolean);
  return words
    .map(
      (word, index) =>
        capitals.get(word) ?? (index === 0 ? word.charAt(0).toUpperCase() + word.slice(1) : word),
    )
    .join(' ');
}
