import { describe, expect, it } from 'vitest';
import { labelIndexes, linePaths, niceMaximum, type Series, withOther } from './chart-math.ts';

describe('charts', () => {
  it('add up the series that have no color of their own', () => {
    const series: Series[] = Array.from({ length: 9 }, (_, index) => ({
      id: `${index}`,
      name: `Bot ${index}`,
      values: [index, null, 1],
    }));
    const shown = withOther(series);
    expect(shown.map(({ id }) => id)).toEqual(['8', '7', '6', '5', '4', 'other']);
    expect(shown.at(-1)).toMatchObject({ name: 'Other (4)', values: [0 + 1 + 2 + 3, 0, 4] });
    expect(withOther(series.slice(0, 3))).toHaveLength(3);
  });

  it.each([
    [0, 1],
    [0.00034, 0.0004],
    [0.9, 1],
    [1, 1],
    [13, 15],
    [21, 25],
    [4_200, 5_000],
  ])('end their axis for %d at %d', (value, expected) => {
    expect(niceMaximum(value)).toBeCloseTo(expected, 9);
  });

  it('leave gaps where nothing is known', () => {
    expect(linePaths([0, 1, null, 0.5], 0, 1)).toEqual(['M0 100L33.33 0', 'M100 50h0.01']);
    expect(linePaths([null, null], 0, 1)).toEqual([]);
    expect(linePaths([2], 0, 1)).toEqual(['M50 0h0.01']);
  });

  it('label a few of many days', () => {
    expect(labelIndexes(30, 4)).toEqual([0, 10, 19, 29]);
    expect(labelIndexes(2, 4)).toEqual([0, 1]);
  });
});
