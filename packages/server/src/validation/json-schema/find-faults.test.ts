import { describe, expect, it } from 'vitest';
import type { JsonSchema } from './check.ts';
import { TooMuchWork } from './effort.ts';
import { findFaults } from './find-faults.ts';

const matches = (pattern: string, text: string) => new RegExp(pattern, 'u').test(text);
const faults = (schema: JsonSchema, value: unknown) =>
  findFaults(schema, value, { units: 20_000, matches }).map(({ path, message }) =>
    `${path} ${message}`.trim(),
  );

const person: JsonSchema = {
  type: 'object',
  required: ['name', 'tags'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 2, maxLength: 5 },
    age: { type: ['integer', 'null'], minimum: 0, exclusiveMaximum: 150 },
    size: { enum: ['s', 'm', 1] },
    tags: { type: 'array', items: { $ref: '#/$defs/tag' }, minItems: 1, uniqueItems: true },
    born: { type: 'string', format: 'date' },
    code: { type: 'string', pattern: '^[a-z]+$' },
    step: { multipleOf: 0.1 },
    either: { anyOf: [{ type: 'string' }, { type: 'object', required: ['a', 'b'] }] },
    one: { oneOf: [{ type: 'number' }, { minimum: 5 }] },
    not: { not: { const: 'root' } },
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword's name
    when: { if: { type: 'string' }, then: { minLength: 3 }, else: { type: 'number' } },
  },
  $defs: { tag: { type: 'string' } },
};

describe('the faults of a value', () => {
  it('finds nothing wrong with what fits', () => {
    const value = {
      name: 'Änne',
      age: null,
      size: 1,
      tags: ['a', 'b'],
      born: '2024-02-29',
      code: 'abc',
      step: 0.3,
      either: { a: 1, b: 2 },
      one: 3,
      not: 'ann',
      when: 7,
    };
    expect(faults(person, value)).toEqual([]);
  });

  it.each<[string, object]>([
    ['name is required', { tags: ['a'] }],
    ['name must be a string', { name: 5 }],
    ['name must have at least 2 characters', { name: 'ä' }],
    ['name must have at most 5 characters', { name: 'abcdef' }],
    ['age must be an integer or null', { age: 1.5 }],
    ['age must be at least 0', { age: -1 }],
    ['age must be less than 150', { age: 150 }],
    ['size must be one of s, m, 1', { size: 'l' }],
    ['tags must have at least 1 entry', { tags: [] }],
    ['tags must not have duplicate entries', { tags: ['a', 'a'] }],
    ['tags.1 must be a string', { tags: ['a', 1] }],
    ['born must be a valid date', { born: '2023-02-29' }],
    ['code must match the pattern ^[a-z]+$', { code: 'a1' }],
    ['step must be a multiple of 0.1', { step: 0.25 }],
    ['either must be a string', { either: {} }],
    ['one fits more than one of its alternatives', { one: 6 }],
    ['not is not allowed', { not: 'root' }],
    ['when must have at least 3 characters', { when: 'ab' }],
    ['when must be a number', { when: null }],
    ['extra is not a known field', { extra: 1 }],
    ['__proto__ is not a known field', JSON.parse('{"__proto__":1}') as object],
  ])('%s', (expected, change) => {
    const given = 'name' in change || expected === 'name is required' ? change : { name: 'Ann', ...change };
    const value = Object.assign(Object.create(null) as object, { tags: ['a'] }, given);
    if (Object.hasOwn(change, '__proto__'))
      Object.defineProperty(value, '__proto__', { value: 1, enumerable: true });
    expect(faults(person, value)).toContain(expected);
  });

  it('is not fooled by what every object inherits', () => {
    expect(faults({ required: ['constructor'] }, {})).toEqual(['constructor is required']);
    expect(faults({ properties: {}, additionalProperties: false }, { toString: 1 })).toEqual([
      'toString is not a known field',
    ]);
  });

  it('are told as they are for the newer keywords, too', () => {
    expect(faults({ contains: { const: 1 }, minContains: 2 }, [1])).toEqual([
      'must have at least 2 entries that fit what it must contain',
    ]);
    expect(faults({ propertyNames: { maxLength: 2 } }, { abc: 1 })).toEqual([
      'abc has a name that must have at most 2 characters',
    ]);
    expect(faults({ dependentRequired: { a: ['b'] } }, { a: 1 })).toEqual(['b is required when a is given']);
    const strict = { allOf: [{ properties: { a: true } }], unevaluatedProperties: false };
    expect(faults(strict, { a: 1, b: 2 })).toEqual(['b is not a known field']);
    expect(faults({ type: 'string', nullable: true }, null)).toEqual([]);
  });

  it('are counted as people count', () => {
    expect(faults({ minItems: 1 }, [])).toEqual(['must have at least 1 entry']);
    expect(faults({ maxItems: 1 }, [1, 2])).toEqual(['must have at most 1 entry']);
    expect(faults({ maxItems: 0 }, [1])).toEqual(['must have at most 0 entries']);
    expect(faults({ minLength: 1 }, '')).toEqual(['must have at least 1 character']);
    expect(faults({ maxLength: 1 }, 'ab')).toEqual(['must have at most 1 character']);
    expect(faults({ minProperties: 1 }, {})).toEqual(['must have at least 1 field']);
    expect(faults({ maxProperties: 1 }, { a: 1, b: 2 })).toEqual(['must have at most 1 field']);
    expect(faults({ contains: { const: 1 } }, [2])).toEqual([
      'must have at least 1 entry that fits what it must contain',
    ]);
    expect(faults({ contains: { const: 1 }, maxContains: 1 }, [1, 1])).toEqual([
      'must have at most 1 entry that fits what it must contain',
    ]);
  });

  it('say the same thing once, and nothing of an empty list', () => {
    expect(faults({ required: ['a', 'b', 'a'] }, {})).toEqual(['a is required', 'b is required']);
    expect(faults({ dependentRequired: { a: ['b', 'b'] } }, { a: 1 })).toEqual([
      'b is required when a is given',
    ]);
    expect(faults({ enum: [] }, 1)).toEqual(['is not allowed']);
  });

  it('compare objects and lists by what they hold', () => {
    const oneOf = { enum: [{ a: 1, b: [2] }, [1, 2], [], {}] };
    for (const value of [{ b: [2], a: 1 }, [1, 2], [], {}]) expect(faults(oneOf, value)).toEqual([]);
    for (const value of [{ a: 1, b: [3] }, { a: 1, c: [2] }, [2, 1], [1], { 0: 1, 1: 2 }, { a: 1 }]) {
      expect(faults(oneOf, value), JSON.stringify(value)).toHaveLength(1);
    }
    expect(faults({ const: [] }, {})).toHaveLength(1);
    expect(faults({ const: [[1], { a: null }] }, [[1], { a: null }])).toEqual([]);
  });

  it('charge for both sides of a comparison', () => {
    const big = Object.fromEntries(Array.from({ length: 15_000 }, (_, index) => [`n${index}`, index]));
    expect(() => faults({ const: { a: 1 } }, big)).toThrow(TooMuchWork);
  });

  it.each<[string, JsonSchema, unknown]>([
    ['refers to itself', { $ref: '#' }, 1],
    ['refers to itself in a circle', { $ref: '#/$defs/a', $defs: { a: { $ref: '#' } } }, 1],
    ['doubles with every level', doubling(40), 1],
    ['is nested without end', nested(50_000), 1],
  ])('gives up on a schema that %s', (_name, schema, value) => {
    expect(() => faults(schema, value)).toThrow(TooMuchWork);
  });

  it('never follows a reference out of the document', () => {
    expect(faults({ $ref: 'http://127.0.0.1/schema.json' }, 1)).toEqual(['is not allowed']);
    expect(faults({ $ref: '#/constructor' }, 1)).toEqual(['is not allowed']);
  });
});

function doubling(levels: number): JsonSchema {
  const names = Array.from({ length: levels }, (_, index) => `l${index}`);
  const $defs = Object.fromEntries(
    names.map((name, index) => {
      const next = { $ref: `#/$defs/l${index + 1}` };
      return [name, index + 1 < levels ? { allOf: [next, next] } : {}];
    }),
  );
  return { $ref: '#/$defs/l0', $defs };
}

function nested(levels: number): JsonSchema {
  let schema: JsonSchema = {};
  for (let level = 0; level < levels; level += 1) schema = { allOf: [schema] };
  return schema;
}
