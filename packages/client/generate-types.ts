/** What the service's OpenAPI document uses of JSON Schema. */
interface Schema {
  $ref?: string;
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'object' | 'array';
  description?: string;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  readOnly?: boolean;
}

type Content = Record<string, { schema: Schema }>;

interface Operation {
  summary: string;
  parameters?: { in: 'path' | 'query' | 'header'; name: string; required?: boolean; schema: Schema }[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
}

export interface OpenApiDocument {
  components: { schemas: Record<string, Schema> };
  paths: Record<string, Record<string, Operation>>;
}

/** The types of all schemas, and of what each operation takes and returns, as the text of a file. */
export function generateTypes({ components, paths }: OpenApiDocument): string {
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `${comment(schema.description)}export type ${name} = ${typeOf(schema)};\n`,
  );
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => operationType(method, path, operation)),
  );
  const lines = [
    '// Generated from /openapi.json by `npm run generate -w @svc/client`.\n',
    ...schemas,
    '/** What each operation takes, and what it returns: as JSON, or as events of a stream. */',
    `export interface Operations ${block(operations)}\n`,
  ]
    .join('\n')
    .split('\n');
  let depth = 0;
  return lines
    .map((line) => {
      if (line.startsWith('}')) depth -= 1;
      const indented = '  '.repeat(line ? depth : 0) + line;
      if (line.endsWith('{')) depth += 1;
      return indented;
    })
    .join('\n');
}

/** None for WebSockets, and for pages, sounds and pictures. */
function operationType(method: string, path: string, operation: Operation): string[] {
  const { parameters = [], requestBody, responses, summary } = operation;
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content ?? {};
  const { 'application/json': json, 'text/event-stream': stream } = success;
  if (!json && !stream) return [];
  const given = (['path', 'query', 'header'] as const).flatMap((place) => {
    const fields = parameters.filter((parameter) => parameter.in === place);
    if (fields.length === 0) return [];
    const isRequired = fields.some(({ required }) => required);
    const types = fields.map(({ name, required, schema }) => property(name, schema, required));
    return `${place}${isRequired ? '' : '?'}: ${block(types)};`;
  });
  const fields = [
    ...given,
    ...(requestBody ? [`body${requestBody.required ? '' : '?'}: ${bodyType(requestBody.content)};`] : []),
    ...(json ? [`response: ${typeOf(forKeys(json.schema))};`] : []),
    ...(stream ? [`events: ${typeOf(forKeys(stream.schema))};`] : []),
  ];
  return [`${comment(summary)}'${method.toUpperCase()} ${path}': ${block(fields)};`];
}

function bodyType(content: Content): string {
  return Object.entries(content)
    .map(([type, { schema }]) => (type === 'application/json' ? typeOf(schema, true) : 'FormData'))
    .join(' | ');
}

/** End users get less of some answers. These types are for programs with an account key. */
function forKeys(schema: Schema): Schema {
  const others = schema.anyOf?.filter(({ $ref, items }) => !($ref ?? items?.$ref)?.includes('/EndUser'));
  return others && others.length > 0 ? { ...schema, anyOf: others } : schema;
}

/** `isSent`: without the fields that only the service sets. */
function typeOf(schema: Schema, isSent = false): string {
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (schema.$ref) return schema.$ref.replace('#/components/schemas/', '');
  if (alternatives) return alternatives.map((each) => typeOf(each, isSent)).join(' | ');
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.type === 'array') return `(${typeOf(schema.items ?? {}, isSent)})[]`;
  if (schema.type === 'object') return objectType(schema, isSent);
  return schema.type === 'integer' ? 'number' : (schema.type ?? 'unknown');
}

function objectType(schema: Schema, isSent: boolean): string {
  const { properties = {}, required = [], additionalProperties: others } = schema;
  const fields = Object.entries(properties)
    .filter(([, { readOnly }]) => !isSent || !readOnly)
    .map(([name, each]) => property(name, each, required.includes(name), isSent));
  if (fields.length === 0 && others !== false)
    return `Record<string, ${typeof others === 'object' ? typeOf(others, isSent) : 'unknown'}>`;
  // The types of named fields would have to fit, so fields without a name can be anything beside them.
  if (others) fields.push('[name: string]: unknown;');
  return block(fields);
}

function block(fields: readonly string[]): string {
  return `{\n${fields.join('\n')}\n}`;
}

function property(name: string, schema: Schema, isRequired = false, isSent = false): string {
  const key = /^\w+$/.test(name) ? name : `'${name}'`;
  return `${comment(schema.description)}${key}${isRequired ? '' : '?'}: ${typeOf(schema, isSent)};`;
}

function comment(text: string | undefined): string {
  return text ? `/** ${text.replaceAll(/\s+/g, ' ').replaceAll('*/', '* /')} */\n` : '';
}
