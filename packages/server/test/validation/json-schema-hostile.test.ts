import { afterAll, describe, expect, it } from 'vitest';
import { checkJson, type JsonSchema, stopJsonChecks } from '../../src/validation/json-schema/check-json.ts';
import { findSchemaFaults } from '../../src/validation/json-schema/find-schema-faults.ts';
import { leastHoldingOf } from '../support/event-loop.ts';

afterAll(stopJsonChecks);

const tooMuch = [{ path: '', message: 'cannot be checked: the schema is too complicated for this value' }];
const count = <Entry>(length: number, make: (index: number) => Entry) =>
  Array.from({ length }, (_, index) => make(index));
const names = (length: number) => Object.fromEntries(count(length, (index) => [`n${index}`, index]));

const fanOut = (levels: number) => {
  let schema: JsonSchema = { type: 'string' };
  for (let level = 0; level < levels; level += 1) schema = { anyOf: [schema, schema, schema] };
  return schema;
};
const long = 'x'.repeat(999_999);
const big = (index: number) => ({ index, list: count(200, (inner) => ({ inner, text: 'x'.repeat(100) })) });
const one = big(1);

describe('the cost of a hostile check', () => {
  it.each<[string, () => [JsonSchema, unknown], 'nothing' | 'faults' | 'too much']>([
    [
      'a long enum, a long list',
      () => [{ items: { enum: count(20_000, String) } }, count(20_000, String)],
      'nothing',
    ],
    [
      'a long enum, a long list, nothing fits',
      () => [{ items: { enum: count(20_000, String) } }, count(20_000, (index) => -index)],
      'faults',
    ],
    [
      'an enum of objects, a long list',
      () => [
        { items: { enum: count(2_000, (index) => ({ index, a: [index] })) } },
        count(8_000, () => ({ index: 1_999, a: [1_999] })),
      ],
      'too much',
    ],
    [
      'an enum of small objects, a big object',
      () => [{ type: 'object', properties: {}, enum: count(500, () => ({ a: 1 })) }, names(40_000)],
      'too much',
    ],
    [
      'an enum of short lists, a long list',
      () => [{ enum: count(3_000, () => [1]) }, count(49_000, () => 1)],
      'faults',
    ],
    [
      'alternatives of one small object each, a big object',
      () => [{ anyOf: count(500, () => ({ const: { a: 1 } })) }, names(20_000)],
      'too much',
    ],
    [
      'an enum of long lists that end differently',
      () => [{ enum: count(500, (index) => [...count(1_000, () => 1), index + 2]) }, count(1_001, () => 1)],
      'too much',
    ],
    [
      'multiples of fractions, a long list',
      () => [{ items: { multipleOf: 3e-320 } }, count(40_000, () => 1.5e308)],
      'too much',
    ],
    ['alternatives of alternatives', () => [fanOut(9), 1], 'too much'],
    ['a reference to itself', () => [{ anyOf: [{ $ref: '#' }, { $ref: '#' }] }, 1], 'too much'],
    ['uniqueItems and big objects', () => [{ uniqueItems: true }, count(2_000, big)], 'too much'],
    [
      'const and a big object',
      () => [{ items: { const: { ...big(1), list: count(200, String) } } }, count(20_000, () => one)],
      'faults',
    ],
    [
      'long texts to be counted',
      () => [{ items: { maxLength: 999_999, minLength: 500_001 } }, count(300, () => long)],
      'too much',
    ],
    [
      'long texts that need no counting',
      () => [{ items: { maxLength: 100 } }, count(20, () => long)],
      'faults',
    ],
    [
      'patterns for names, and many names',
      () => [
        { patternProperties: Object.fromEntries(count(1_000, (index) => [`^n${index}$`, {}])) },
        names(20_000),
      ],
      'too much',
    ],
    ['faults without end', () => [{ additionalProperties: false }, names(10_000)], 'faults'],
    [
      'faults in every alternative',
      () => [{ items: { anyOf: count(2_000, (index) => ({ const: index })) } }, count(20_000, () => 'x')],
      'too much',
    ],
    [
      'names that are required, in a long list',
      () => [{ items: { required: Object.keys(names(2_000)) } }, count(20_000, () => ({}))],
      'faults',
    ],
    [
      'long references',
      () => [
        { items: { $ref: `#/$defs/${'a'.repeat(20_000)}` }, $defs: { ['a'.repeat(20_000)]: {} } },
        count(20_000, () => 1),
      ],
      'too much',
    ],
    [
      'what depends on what',
      () => [{ items: { dependentRequired: names(2_000) } }, count(20_000, () => ({}))],
      'too much',
    ],
    [
      'what is left over',
      () => [
        {
          allOf: count(500, (index) => ({ properties: { [`p${index}`]: true } })),
          unevaluatedProperties: false,
        },
        names(20_000),
      ],
      'too much',
    ],
    [
      'a value without end',
      () => [
        { $ref: '#/$defs/a', $defs: { a: { items: { $ref: '#/$defs/a' } } } },
        JSON.parse('['.repeat(5_000) + ']'.repeat(5_000)),
      ],
      'too much',
    ],
  ])('%s', async (_name, make, expected) => {
    const [schema, value] = make();
    const { heldMs, result } = await leastHoldingOf(200, () => checkJson(schema, value, 'one'));
    expect(heldMs).toBeLessThan(200);
    if (expected === 'nothing') expect(result).toEqual([]);
    if (expected === 'too much') expect(result).toEqual(tooMuch);
    if (expected === 'faults') expect(result).not.toEqual(tooMuch);
    expect(result.length).toBeLessThanOrEqual(20);
    for (const { path, message } of result) expect(path.length + message.length).toBeLessThan(600);
  });

  it('long chains of references, followed many times', async () => {
    const depth = 95;
    const way = '/a'.repeat(depth);
    let deepest: JsonSchema = Object.fromEntries(
      count(19, (index) => [`r${index}`, index === 18 ? {} : { $ref: `#${way}/r${index + 1}` }]),
    );
    for (let level = 0; level < depth; level += 1) deepest = { a: deepest };
    const schema = { ...deepest, b: { $ref: `#${way}/r0` }, allOf: count(4_000, () => ({ $ref: '#/b' })) };
    const { heldMs, result } = await leastHoldingOf(200, async () => findSchemaFaults(schema));
    expect(result).toEqual([]);
    expect(heldMs).toBeLessThan(200);
  });

  it('names what is wrong without repeating all of it', async () => {
    const [fault] = await checkJson({ enum: count(10_000, (index) => `value ${index}`) }, 'x', 'one');
    expect(fault?.message).toMatch(/^must be one of value 0, value 1, .* and \d+ more$/);
    const [mismatch] = await checkJson({ pattern: `^${'b'.repeat(30_000)}$` }, 'x', 'one');
    expect(mismatch?.message).toMatch(/^must match the pattern \^b{50,}…$/);
    const name = 'n'.repeat(100_000);
    const [unknown] = await checkJson({ additionalProperties: false }, { [name]: 1 }, 'one');
    expect(unknown?.path.length).toBeLessThan(100);
  });
});
