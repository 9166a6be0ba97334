/** One line or one part of each bar. A value is null where nothing is known. */
export interface Series {
  id: string;
  name: string;
  values: readonly (number | null)[];
}

export interface ChartProps {
  /** What the chart shows: "Cost per day". */
  label: string;
  /** What the points stand for, such as days. */
  categories: readonly string[];
  nameCategory?: (category: string) => string;
  series: readonly Series[];
  format: (value: number) => string;
}

/** How many series have a color of their own. */
const maxSeries = 6;
export const otherSeries = 'other';

/** The largest series first; those without a color of their own are added up as "Other". */
export function withOther(series: readonly Series[]): Series[] {
  const sorted = series.toSorted((one, other) => totalOf(other) - totalOf(one));
  if (sorted.length <= maxSeries) return sorted;
  const rest = sorted.slice(maxSeries - 1);
  const length = Math.max(...rest.map(({ values }) => values.length));
  const values = Array.from({ length }, (_, index) =>
    rest.reduce((sum, one) => sum + (one.values[index] ?? 0), 0),
  );
  return [...sorted.slice(0, maxSeries - 1), { id: otherSeries, name: `Other (${rest.length})`, values }];
}

function totalOf({ values }: Pick<Series, 'values'>): number {
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}

/** The next larger round number. */
export function niceMaximum(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((one) => one * power >= value * (1 - 1e-9)) ?? 10;
  return step * power;
}

/** The points of a line in a box of 100 by 100, as the parts between gaps. */
export function linePaths(values: readonly (number | null)[], minimum: number, maximum: number): string[] {
  const paths: string[] = [];
  let current = '';
  for (const [index, value] of values.entries()) {
    if (value === null) {
      if (current) paths.push(current);
      current = '';
      continue;
    }
    const x = lineX(index, values.length);
    const y = 100 - share(value, minimum, maximum) * 100;
    current += `${current ? 'L' : 'M'}${round(x)} ${round(y)}`;
  }
  if (current) paths.push(current);
  // A single point is drawn as a short line, or it would not be seen.
  return paths.map((path) => (path.includes('L') ? path : `${path}h0.01`));
}

/** Where a point of a line is, from the left edge at 0 to the right one at 100. */
export function lineX(index: number, count: number): number {
  return count === 1 ? 50 : (index / (count - 1)) * 100;
}

/** Where a value lies between two others, from 0 to 1. */
export function share(value: number, minimum: number, maximum: number): number {
  return maximum === minimum ? 0 : Math.min(1, Math.max(0, (value - minimum) / (maximum - minimum)));
}

/** The indexes of the labels, evenly spaced, the first and the last among them. */
export function labelIndexes(length: number, maxLabels: number): number[] {
  if (length <= maxLabels) return Array.from({ length }, (_, index) => index);
  const step = (length - 1) / (maxLabels - 1);
  return Array.from({ length: maxLabels }, (_, index) => Math.round(index * step));
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
