import { expect, it } from 'vitest';
import { isSmall } from './is-small.ts';

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

it.each<[string, unknown, boolean]>([
  ['a text', 'x', true],
  ['usual arguments', { a: 1, b: [{ c: 'd' }] }, true],
  ['a long list', Array.from({ length: 40_000 }, (_, index) => index), true],
  ['a longer list', Array.from({ length: 60_000 }, (_, index) => index), false],
  ['long texts', ['x'.repeat(1_500_000), 'y'.repeat(1_500_000)], false],
  ['long names', { ['x'.repeat(3_000_000)]: 1 }, false],
  ['deep nesting', nested(200), true],
  ['deeper nesting', nested(100_000), false],
])('%s', (_name, value, small) => expect(isSmall(value)).toBe(small));
