/** Values known to stall services like ours, each scaled to the given number of bytes as JSON. */
export type CostlyValue = { name: string; make(bytes: number): unknown };

/** Characters that make careless patterns, parsers or templates backtrack, the most effective first. */
const fillers = [
  'a',
  ' ',
  '0',
  ',',
  '(',
  '{{a',
  '\n',
  '*/',
  '[a](',
  '<a ',
  '<!--',
  '%41',
  '"',
  '\\',
  '#',
  'a&',
  '1+',
  '😀',
];
const short = { length: 2_000, fillers: 3 };

/** Texts with the given number of characters. */
export function costlyTexts(length: number): { name: string; text: string }[] {
  return fillers.slice(0, length > short.length ? undefined : short.fillers).map((filler) => ({
    name: `${JSON.stringify(filler)} again and again`,
    text: filler
      .repeat(Math.ceil(length / filler.length))
      .slice(0, length)
      .toWellFormed(),
  }));
}

/** Values of any shape, for fields that accept anything and for fields that should not. */
export const costlyValues: CostlyValue[] = [
  { name: 'many zeros', make: (bytes) => zeros(bytes) },
  { name: 'more zeros than are taken', make: (bytes) => Array(Math.floor(bytes / 2)).fill(0) },
  { name: 'zeros under a long key', make: (bytes) => ({ [key(bytes / 4)]: zeros(bytes / 2) }) },
  { name: 'many keys', make: (bytes) => keyed(bytes / 12, () => 0) },
  { name: 'many long keys', make: (bytes) => keyed(bytes / 1_100, () => 0, 1_000) },
  { name: 'many empty objects', make: (bytes) => many(bytes / 3, () => ({})) },
  { name: 'many small texts', make: (bytes) => many(bytes / 4, () => 'a') },
  { name: 'a long text', make: (bytes) => 'x'.repeat(bytes) },
  { name: 'JSON in a text', make: (bytes) => JSON.stringify(zeros(bytes - 2)) },
  {
    name: 'a long key, JSON in a text',
    make: (bytes) => JSON.stringify({ [key(bytes / 4)]: zeros(bytes / 2) }),
  },
  { name: 'deep and wide', make: (bytes) => nested(50, () => zeros(bytes / 50)) },
  {
    name: 'a fault at the very end',
    make: (bytes) => ({ [key(bytes / 4)]: [...zeros(bytes / 2), '\u0000'] }),
  },
];

/** The values above that are not rejected by their shape alone. */
export const costlyInFields = costlyValues.filter(({ name }) =>
  ['zeros under a long key', 'many keys', 'deep and wide', 'a long key, JSON in a text'].includes(name),
);

/** JSON Schemas that are costly to read, to check or to draft from. */
export const costlySchemas: CostlyValue[] = [
  { name: 'a wide enum', make: (bytes) => object({ a: { enum: many(bytes / 12, (index) => `v${index}`) } }) },
  { name: 'many properties', make: (bytes) => object(keyed(bytes / 30, () => ({ type: 'string' }))) },
  { name: 'a schema of itself', make: () => object({ a: { anyOf: [{ $ref: '#' }, { $ref: '#' }] } }) },
  { name: 'a hopeless pattern', make: () => object({ a: { type: 'string', pattern: '^(a+)+$' } }) },
  { name: 'a broken pattern', make: () => object({ a: { pattern: '(' } }) },
  {
    name: 'many patterns',
    make: (bytes) => ({ type: 'object', patternProperties: keyed(bytes / 14, () => ({})) }),
  },
  {
    name: 'many branches',
    make: (bytes) => object({ a: { anyOf: many(bytes / 20, () => ({ type: 'null' })) } }),
  },
  {
    name: 'many defaults',
    make: (bytes) => object(keyed(bytes / 60, () => ({ enum: ['a', 'b'], default: 'c' }))),
  },
  {
    name: 'branches in branches',
    make: () =>
      nested(
        10,
        () => ({ type: 'null' }),
        (inner) => ({ anyOf: [inner, inner] }),
      ),
  },
];

/** A body with more values is rejected early; those that pass this check cost more. */
const maxValues = 45_000;

const object = (properties: object) => ({ type: 'object', properties });
const zeros = (bytes: number) => many(bytes / 2, () => 0);
const key = (length: number) => 'k'.repeat(Math.floor(length));

function many<Entry>(count: number, make: (index: number) => Entry): Entry[] {
  return Array.from({ length: Math.max(1, Math.min(maxValues, Math.floor(count))) }, (_entry, index) =>
    make(index),
  );
}

function keyed(count: number, make: () => unknown, keyLength = 8): Record<string, unknown> {
  return Object.fromEntries(many(count, (index) => [String(index).padStart(keyLength, 'k'), make()]));
}

function nested(levels: number, make: () => unknown, wrap = (inner: unknown): unknown => [inner]): unknown {
  let value = make();
  for (let level = 0; level < levels; level += 1) value = wrap(value);
  return value;
}
