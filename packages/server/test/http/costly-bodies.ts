import type { JsonSchema, Operation } from '../support/operations.ts';
import {
  type CostlyValue,
  costlyInFields,
  costlySchemas,
  costlyTexts,
  costlyValues,
} from './costly-values.ts';

export interface CostlyBody {
  name: string;
  /** As it is sent; left out, there is none. */
  text?: string | FormData;
  type?: string;
}

type Path = readonly (string | number)[];

interface Field {
  path: Path;
  schema: JsonSchema;
  /** What stands there in the example, if anything. */
  example: unknown;
}

const json = 'application/json';
const deepestField = 4;
/** Stands where the dear value comes. */
const place = 'the place of the value';
const roomForTheRest = 1_000;
/** A longer body goes the same way as one of this size, and takes its time to be made and sent. */
const most = { ofBody: 8 * 1024 * 1024, ofText: 60_000, ofSchema: 32_000 };

/**
 * The costliest bodies that an operation's limits allow: the whole body as something dear, and its example with each of
 * its fields in turn as something dear. They follow from what the operation says of itself, so that one that is added
 * is covered.
 */
export function* costlyBodies({
  schema,
  example,
  maxBytes,
}: NonNullable<Operation['body']>): Generator<CostlyBody> {
  const bytes = Math.min(maxBytes, most.ofBody);
  for (const value of costlyValues) yield { name: value.name, text: fitting(value, bytes), type: json };
  for (const field of fieldsOf(schema, example)) yield* costlyFields(field, example, bytes);
}

function* costlyFields(field: Field, example: unknown, bytes: number): Generator<CostlyBody> {
  const at = field.path.join('.');
  const room = Math.max(64, bytes - JSON.stringify(example).length - roomForTheRest);
  const [before = '', after = ''] = JSON.stringify(replaced(example, field.path, place)).split(
    JSON.stringify(place),
  );
  const body = (name: string, value: string) => ({
    name: `${at}: ${name}`,
    text: before + value + after,
    type: json,
  });
  if (mayBe(field, 'string')) {
    const length = Math.min(room, longestOf(field.schema), most.ofText);
    for (const { name, text } of costlyTexts(length)) yield body(name, JSON.stringify(text));
  }
  if (mayBe(field, 'array') && Array.isArray(field.example)) {
    const entry = JSON.stringify(field.example[0] ?? 0);
    yield body(
      'its entry again and again',
      `[${Array(Math.floor(room / (entry.length + 1)))
        .fill(entry)
        .join()}]`,
    );
  }
  // Where only something else may stand, the whole body has shown what it costs to find that out.
  if (!mayBe(field, 'object') && !mayBe(field, 'array')) return;
  for (const value of costlySchemas) yield body(value.name, fitting(value, Math.min(room, most.ofSchema)));
  for (const value of costlyInFields) {
    if (value.name !== 'many keys' || mayHoldAnyKey(field.schema))
      yield body(value.name, fitting(value, room));
  }
}

/** Otherwise the first key is refused, as in the whole body. */
const mayHoldAnyKey = (schema: JsonSchema) => schema.properties === undefined;

/** The JSON of each value and size: fields of one body have the same room. */
const written = new Map<string, string>();

/** Some values are longer as JSON than was asked for: then less is asked for, until they fit. */
function fitting({ name, make }: CostlyValue, bytes: number): string {
  const known = written.get(`${name} ${bytes}`);
  if (known !== undefined) return known;
  for (let size = bytes; size > 0; size = Math.floor(size * 0.8)) {
    const text = JSON.stringify(make(size));
    if (Buffer.byteLength(text) > bytes) continue;
    written.set(`${name} ${bytes}`, text);
    return text;
  }
  throw new Error(`${name} does not fit into ${bytes} bytes.`);
}

/** Forms of a content type; one that is not known here has to be added before an operation can take it. */
export function costlyForms(type: string): CostlyBody[] {
  switch (type) {
    case 'multipart/form-data':
      return ['a', ' ', '<', '[', '\n#', '(', '|'].map((filler) => ({
        name: `files of ${JSON.stringify(filler)}`,
        text: filesOf(filler),
      }));
    case 'application/x-www-form-urlencoded':
      return ['a&', 'a=b&', '%41', '&'].map((filler) => ({
        name: `${filler} again and again`,
        text: filler.repeat(1_000_000 / filler.length),
        type,
      }));
    default:
      throw new Error(`Say here what a costly ${type} is.`);
  }
}

function filesOf(filler: string): FormData {
  const form = new FormData();
  for (const ending of ['txt', 'md', 'html', 'pdf', 'docx']) {
    form.append('files', new Blob([filler.repeat(5_000_000 / filler.length)]), `x.${ending}`);
  }
  return form;
}

/** Queries as long as a request line may be. */
export function costlyQueries({ parameters }: Pick<Operation, 'parameters'>): string[] {
  const names = parameters.filter((one) => one.in === 'query').map(({ name }) => encodeURIComponent(name));
  return [
    'a&'.repeat(6_000),
    'metadata.a=b&'.repeat(900),
    Array.from({ length: 900 }, (_entry, index) => `metadata.${index}=b`).join('&'),
    ...names.flatMap((name) => ['a', '%20', ',', '%5B'].map((filler) => `${name}=${filler.repeat(3_000)}`)),
  ];
}

/** Every place in a body: what its schema names, and what its example shows where the schema leaves it open. */
function fieldsOf(schema: JsonSchema, example: unknown, path: Path = []): Field[] {
  if (path.length >= deepestField) return [];
  const alternatives = [schema, ...((schema['anyOf'] as JsonSchema[] | undefined) ?? [])];
  const named = Object.assign({}, ...alternatives.map(({ properties }) => properties ?? {})) as Record<
    string,
    JsonSchema
  >;
  const shown = isObject(example) ? example : {};
  const names = new Set([...Object.keys(named), ...Object.keys(shown)]);
  const here = [...names].map((name) => ({
    path: [...path, name],
    schema: named[name] ?? {},
    example: shown[name],
  }));
  const items = alternatives.map((one) => one['items'] as JsonSchema | undefined).find(Boolean);
  if (Array.isArray(example) && example.length > 0)
    here.push({ path: [...path, 0], schema: items ?? {}, example: example[0] });
  return here
    .filter((field) => field.schema['readOnly'] !== true)
    .flatMap((field) => [field, ...fieldsOf(field.schema, field.example, field.path)]);
}

function mayBe({ schema, example }: Field, type: 'string' | 'object' | 'array'): boolean {
  if (schema['enum'] !== undefined || schema['const'] !== undefined) return false;
  const kinds = [schema, ...((schema['anyOf'] as JsonSchema[] | undefined) ?? [])].map((one) => one.type);
  const shown = Array.isArray(example) ? 'array' : typeof example;
  const isOpen = kinds.every((kind) => kind === undefined);
  return kinds.includes(type) || shown === type || (isOpen && example === undefined);
}

function longestOf(schema: JsonSchema): number {
  const lengths = [schema, ...((schema['anyOf'] as JsonSchema[] | undefined) ?? [])].map(
    (one) => one['maxLength'],
  );
  return (
    Math.max(...lengths.map((length) => (typeof length === 'number' ? length : 0))) || Number.MAX_SAFE_INTEGER
  );
}

function replaced(whole: unknown, [first, ...rest]: Path, value: unknown): unknown {
  if (first === undefined) return value;
  if (Array.isArray(whole))
    return whole.map((entry, index) => (index === first ? replaced(entry, rest, value) : entry));
  const fields = isObject(whole) ? whole : {};
  return { ...fields, [first]: replaced(fields[first], rest, value) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
