import { validate as validateDraft7 } from '@hyperjump/json-schema/draft-07';
import { registerSchema, unregisterSchema, validate } from '@hyperjump/json-schema/draft-2020-12';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../src/validation/json-schema/check.ts';
import { TooMuchWork } from '../../src/validation/json-schema/effort.ts';
import { findFaults } from '../../src/validation/json-schema/find-faults.ts';
import { findSchemaFaults } from '../../src/validation/json-schema/find-schema-faults.ts';
import { readPattern } from '../../src/validation/json-schema/pattern.ts';
import { fewer, runs } from '../support/sample.ts';
import { astral, standardCases } from './standard-cases.ts';

const matches = (pattern: string, text: string) => readPattern(pattern)?.test(text) ?? false;
const fits = (schema: JsonSchema, value: unknown) =>
  findFaults(schema, value, { units: 100_000, matches }).length === 0;

const drafts = {
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
  'draft 7': 'http://json-schema.org/draft-07/schema#',
} as const;
type Draft = keyof typeof drafts;

/** A validator that passes the official suite: exact, but slow and unsafe for untrusted schemas. */
async function otherValidator(schema: JsonSchema, draft: Draft): Promise<(value: unknown) => boolean> {
  const id = 'https://schemas.invalid/one';
  registerSchema(schema as never, id, drafts[draft]);
  try {
    const check = await (draft === 'draft 7' ? validateDraft7 : validate)(id);
    return (value) => check(value as never).valid;
  } finally {
    unregisterSchema(id);
  }
}

describe('the standard', () => {
  it.each(standardCases)('%s', async (name, schema, good, bad) => {
    expect(findSchemaFaults(schema)).toEqual([]);
    const other = await otherValidator(schema, name.includes('draft 7') ? 'draft 7' : '2020-12');
    for (const [values, expected] of [[good, true] as const, [bad, false] as const]) {
      for (const value of values) {
        expect(fits(schema, value), JSON.stringify(value)).toBe(expected);
        expect(other(value), `the other validator on ${JSON.stringify(value)}`).toBe(expected);
      }
    }
  });
});

/** For random schemas and values, both validators must agree on every value of an accepted schema. */
describe('another validator', () => {
  const name = fc.constantFrom('a', 'b', 'c');
  const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<unknown>(null, true, false, 0, 1, 2, 3, 1.5, '', 'a', 'ab', 'abc', astral),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(name, tie('value'), { noNullPrototype: true }),
    ),
  })).value;

  const schemaOf = (draft: Draft) =>
    fc.letrec<{ schema: unknown; keywords: object }>((tie) => {
      const schema = tie('schema');
      const count = fc.integer({ min: 0, max: 3 });
      const some = (arbitrary: fc.Arbitrary<unknown>) => fc.array(arbitrary, { minLength: 1, maxLength: 3 });
      const map = fc.dictionary(name, schema, { maxKeys: 3, noNullPrototype: true });
      const names = fc.uniqueArray(name);
      const common = {
        type: fc.constantFrom<unknown>('object', 'array', 'string', 'integer', ['number', 'object'], 'null'),
        enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: (one) => JSON.stringify(one) }),
        const: value,
        minLength: count,
        maxLength: count,
        pattern: fc.constantFrom('^a', 'b$', '^.{2}$'),
        minimum: count,
        exclusiveMaximum: count,
        multipleOf: fc.constantFrom(1, 2),
        minItems: count,
        maxItems: count,
        uniqueItems: fc.boolean(),
        contains: schema,
        required: names,
        properties: map,
        patternProperties: fc.dictionary(fc.constantFrom('a', '[bc]'), schema, { noNullPrototype: true }),
        additionalProperties: schema,
        propertyNames: schema,
        minProperties: count,
        maxProperties: count,
        allOf: some(schema),
        anyOf: some(schema),
        oneOf: some(schema),
        not: schema,
        if: schema,
        // oxlint-disable-next-line unicorn/no-thenable -- the keyword's name
        then: schema,
        else: schema,
      };
      const recent = {
        $ref: fc.constantFrom('#/$defs/a', '#/$defs/b'),
        items: schema,
        prefixItems: some(schema),
        minContains: count,
        maxContains: count,
        dependentRequired: fc.dictionary(name, names, { noNullPrototype: true }),
        dependentSchemas: map,
        unevaluatedProperties: schema,
        unevaluatedItems: schema,
      };
      const former = {
        items: fc.oneof(schema, some(schema)),
        additionalItems: schema,
        dependencies: fc.dictionary(name, fc.oneof(schema, names), { noNullPrototype: true }),
      };
      const record: Record<string, fc.Arbitrary<unknown>> = {
        ...common,
        ...(draft === '2020-12' ? recent : former),
      };
      return {
        // Only a few keywords at a time, because nothing matches all of them together.
        keywords: fc
          .subarray(Object.keys(record), { minLength: 1, maxLength: 4 })
          .chain((chosen) =>
            fc.record(Object.fromEntries(chosen.map((one) => [one, record[one] ?? fc.constant(1)]))),
          ),
        schema: fc.oneof(
          { maxDepth: 4, depthIdentifier: 'schema' },
          fc.constantFrom(true, {}, false),
          tie('keywords'),
        ),
      };
    });

  it.each<Draft>(['2020-12', 'draft 7'])('agrees in %s', async (draft) => {
    const { schema, keywords } = schemaOf(draft);
    const whole = fc
      .record({ own: keywords, a: schema, b: schema })
      .map(({ own, a, b }) => ({ ...own, $defs: { a, b } }));
    const compared = { fit: 0, unfit: 0 };
    const property = fc.asyncProperty(
      whole,
      fc.array(value, { minLength: 8, maxLength: 8 }),
      async (made, values) => {
        fc.pre(findSchemaFaults(made).length === 0);
        const other = await otherValidator(made, draft);
        for (const one of values) {
          const [ours, theirs] = [verdict(() => fits(made, one)), verdict(() => other(one))];
          if (ours === undefined || theirs === undefined) continue;
          compared[theirs ? 'fit' : 'unfit'] += 1;
          expect(ours, JSON.stringify({ made, one })).toBe(theirs);
        }
      },
    );
    await fc.assert(property, runs(400));
    expect(Math.min(compared.fit, compared.unfit)).toBeGreaterThan(fewer(200));
  });

  /** Undefined for a schema with endless references to itself. */
  function verdict(decide: () => boolean): boolean | undefined {
    try {
      return decide();
    } catch (error) {
      if (error instanceof TooMuchWork || error instanceof RangeError) return undefined;
      throw error;
    }
  }
});
