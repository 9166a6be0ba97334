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
  /** The body as sent; without it, the request has none. */
  text?: string | FormData;
  type?: string;
}

type Path = readonly (string | number)[];

interface Field {
  path: Path;
  schema: JsonSchema;
  /** The value of the field in the example, if any. */
  example: unknown;
}

const json = 'application/json';
const deepestField = 4;
/** A placeholder for the costly value. */
const place = 'the place of the value';
const roomForTheRest = 1_000;
/** Longer bodies take the same path as one of this size, but are slow to create and send. */
const most = { ofBody: 8 * 1024 * 1024, ofText: 60_000, ofSchema: 32_000 };

/**
 * The costliest bodies that an operation's limits allow: a costly value as the whole body, and the example with each of
 * its fields one after the other replaced by a costly value. They are derived from the operation's schema, so new operations are
 * covered.
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

/** As JSON, shortened to this many bytes: most fillers are longer when they are escaped or encoded. */
function fittingText(text: string, bytes: number): string {
  const whole = JSON.stringify(text);
  const excess = Buffer.byteLength(whole) / bytes;
  if (excess <= 1) return whole;
  return JSON.stringify(text.slice(0, Math.floor(text.length / excess) - 2).toWellFormed());
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
    for (const { name, text } of costlyTexts(length)) yield body(name, fittingText(text, room));
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
  // Fields that allow no such type are skipped: rejecting the wrong type was measured with the whole body.
  if (!mayBe(field, 'object') && !mayBe(field, 'array')) return;
  for (const value of costlySchemas) yield body(value.name, fitting(value, Math.min(room, most.ofSchema)));
  for (const value of costlyInFields) {
    if (value.name !== 'many keys' || mayHoldAnyKey(field.schema))
      yield body(value.name, fitting(value, room));
  }
}

/** Otherwise the first key is rejected, as in the whole body. */
const mayHoldAnyKey = (schema: JsonSchema) => schema.properties === undefined;

/** Caches the JSON of each value and size, because all fields of a body have the same space. */
const written = new Map<string, string>();

/** Some values are longer as JSON than requested, so smaller ones are requested until the JSON fits. */
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

/** Bodies of a content type; a new type must be added here before an operation can accept it. */
export function costlyForms({ type, maxFiles }: Operation['forms'][number]): CostlyBody[] {
  switch (type) {
    case 'multipart/form-data':
      return ['a', ' ', '<', '[', '\n#', '(', '|'].map((filler) => ({
        name: `files of ${JSON.stringify(filler)}`,
        text: filesOf(filler, maxFiles),
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

function filesOf(filler: string, maxFiles: number): FormData {
  const form = new FormData();
  for (const ending of ['txt', 'md', 'html', 'pdf', 'docx'].slice(0, maxFiles)) {
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

/** Every field of a body: those in its schema, and those in its example where the schema allows any. */
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
