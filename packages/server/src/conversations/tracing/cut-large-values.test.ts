import { describe, expect, it } from 'vitest';
import { cutLargeValues } from './cut-large-values.ts';

const limits = { perValue: 10, total: 100 };

describe('what is small', () => {
  it.each([[null], [7], [true], ['short'], [[1, 'two', { three: [] }]], [{ a: { b: 'c' } }]])(
    'stays as it is: %j',
    (value) => expect(cutLargeValues(value, limits)).toEqual(value),
  );
});

describe('what is large', () => {
  it('is cut text by text, and says by how much', () => {
    expect(cutLargeValues({ long: 'x'.repeat(25), short: 'y' }, limits)).toEqual({
      long: `${'x'.repeat(10)}… [15 more characters cut]`,
      short: 'y',
    });
  });

  it('is not cut in the middle of a character', () => {
    const cut = cutLargeValues(`123456789🙂tail`, limits) as string;
    expect(cut).toBe('123456789… [6 more characters cut]');
    expect(cut.isWellFormed()).toBe(true);
  });

  it('is bounded as a whole, however many texts there are', () => {
    const cut = cutLargeValues(
      Array.from({ length: 1_000 }, () => 'x'.repeat(10)),
      limits,
    ) as unknown[];
    expect(cut.length).toBeLessThan(15);
    expect(cut.at(-1)).toMatch(/^… \[9\d\d more entries cut\]$/);
  });

  it('is bounded in numbers, fields and names of fields too', () => {
    const numbers = cutLargeValues(
      Array.from({ length: 1_000 }, (_, index) => index),
      limits,
    ) as unknown[];
    expect(numbers.length).toBeLessThan(20);
    const fields = cutLargeValues(
      Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`field ${index}`.repeat(9), 1])),
      limits,
    );
    expect(JSON.stringify(fields).length).toBeLessThan(800);
    expect(JSON.stringify(fields)).toContain('more fields cut');
  });

  it('is bounded when it is deep', () => {
    let deep: unknown = 'x';
    for (let depth = 0; depth < 40; depth += 1) deep = [deep, 'sibling'];
    expect(JSON.stringify(cutLargeValues(deep, limits)).length).toBeLessThan(1_500);
  });
});
