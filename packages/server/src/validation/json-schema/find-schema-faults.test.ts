import { describe, expect, it } from 'vitest';
import { threadMilliseconds } from '../../../test/support/event-loop.ts';
import type { JsonSchema } from './check.ts';
import { findSchemaFaults } from './find-schema-faults.ts';

const faults = (schema: unknown) =>
  findSchemaFaults(schema as JsonSchema).map(({ path, message }) => `${path} ${message}`.trim());

const draft7 = 'http://json-schema.org/draft-07/schema#';

describe('a schema', () => {
  it.each<[string, unknown]>([
    ['says nothing', {}],
    ['is true', true],
    [
      'has annotations',
      {
        title: 'x',
        default: 1,
        examples: [],
        readOnly: true,
        'x-y': 1,
        contentMediaType: 'a/b',
        discriminator: {},
      },
    ],
    ['names an unknown format', { format: 'phone' }],
    ['has the $id of the whole', { $id: 'https://a.example/b', $schema: draft7 }],
    [
      'describes fields that are named like keywords',
      { properties: { $dynamicRef: {}, pattern: { type: 'string' }, $id: {} } },
    ],
    [
      'holds anything in const, enum and default',
      { const: { pattern: '(' }, enum: [{ $ref: 'x' }], default: { $anchor: 1 } },
    ],
    ['has additionalItems beside a rule for all entries', { items: {}, additionalItems: false }],
    ['refers to itself further in', { properties: { next: { $ref: '#' } } }],
    [
      'has a description beside an old reference',
      { $schema: draft7, $ref: '#/definitions/a', description: 'x', definitions: { a: {} } },
    ],
    ['has rules beside a newer reference', { $ref: '#/$defs/a', maxLength: 1, $defs: { a: {} } }],
    [
      'has the patterns of zod',
      {
        pattern:
          "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
      },
    ],
  ])('can be used that %s', (_name, schema) => expect(faults(schema)).toEqual([]));

  it.each<[unknown, string]>([
    [{ pattern: '(' }, 'pattern is not a regular expression'],
    [{ patternProperties: { '[': {} } }, 'patternProperties.[ is not a regular expression'],
    [{ $defs: { a: { items: { pattern: '*' } } } }, '$defs.a.items.pattern is not a regular expression'],
    [{ dependencies: { a: { pattern: '*' } } }, 'dependencies.a.pattern is not a regular expression'],
    [{ 'x-parts': { a: { pattern: '*' } }, $ref: '#/x-parts/a' }, '$ref.pattern is not a regular expression'],
    [{ $anchor: 'a' }, '$anchor is not supported'],
    [{ properties: { a: { $dynamicRef: '#a' } } }, 'properties.a.$dynamicRef is not supported'],
    [{ properties: { a: { $id: 'b' } } }, 'properties.a.$id is supported at the top only'],
    [{ $ref: 'https://a.example/b' }, '$ref must refer to a part of this schema, as #/$defs/name does'],
    [{ $ref: '#a' }, '$ref must refer to a part of this schema, as #/$defs/name does'],
    [{ $ref: '#/$defs/a' }, '$ref must refer to a part of this schema, as #/$defs/name does'],
    [{ $ref: '#' }, '$ref leads from one reference to the next, or to itself'],
    [
      { $schema: draft7, $ref: '#/definitions/a', maxLength: 1, definitions: { a: {} } },
      '$ref cannot stand beside maxLength, which drafts before 2019-09 ignore there',
    ],
    [{ additionalItems: false }, 'additionalItems has no effect unless items is a list'],
    [{ prefixItems: [{}], items: [{}] }, 'prefixItems cannot stand beside a list of items'],
    [{ extends: {} }, 'extends is not supported'],
    [{ type: 'str' }, 'type must be one or more of string, number, integer, boolean, object, array, null'],
    [{ required: true }, 'required must be a list of names'],
    [{ minLength: '1' }, 'minLength must be a whole number from 0'],
    [{ minimum: 1, exclusiveMinimum: true }, 'exclusiveMinimum must be a number'],
    [{ multipleOf: 0 }, 'multipleOf must be a number above 0'],
    [{ properties: { a: 1 } }, 'properties.a must be a schema'],
    [{ anyOf: [] }, 'anyOf must be a list of schemas'],
    [{ enum: 'a' }, 'enum must be a list of values'],
    [[], 'must be a schema'],
  ])('cannot be %j', (schema, fault) => expect(faults(schema)).toEqual([fault]));

  it('is refused with at most twenty reasons, each of them short', () => {
    const name = 'n'.repeat(10_000);
    const properties = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`${name}${index}`, { pattern: '(' }]),
    );
    const found = findSchemaFaults({ properties: { [name]: { properties } }, required: 1 });
    expect(found).toHaveLength(20);
    for (const fault of found) expect(fault.path.length + fault.message.length).toBeLessThan(600);
  });

  it('is refused when it is nested too deep', () => {
    let schema: JsonSchema = {};
    for (let level = 0; level < 20_000; level += 1) schema = { not: schema };
    expect(faults(schema)).toEqual(['must not be nested more than 100 levels deep']);
  });

  it('is refused when its patterns take long to make', () => {
    const [fault] = faults({ properties: { a: { pattern: '[\\p{L}]'.repeat(4_000) } } });
    expect(fault).toMatch(/^properties\.a\.pattern is too long/);
    // One that is used often is made once.
    const often = Array.from({ length: 200 }, () => ({ pattern: `^${'a'.repeat(1_000)}$` }));
    expect(faults({ anyOf: often })).toEqual([]);
  });

  it('is looked through in time that grows with its size only', () => {
    const chain = Array.from({ length: 2_500 }, (_, index) => [
      `a${index}`,
      { $ref: `#/$defs/a${index + 1}` },
    ]);
    const startedAt = threadMilliseconds();
    expect(faults({ $defs: { ...Object.fromEntries(chain), a2500: {} } })).toHaveLength(20);
    expect(threadMilliseconds() - startedAt).toBeLessThan(2_000);
  });
});
