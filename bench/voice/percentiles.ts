import type { Result } from '../support/compare.ts';
import type { Goal } from '../support/goal.ts';
import { percentile } from '../support/numbers.ts';

type Share = 'p50' | 'p95' | 'p99';

const shares = { p50: 0.5, p95: 0.95, p99: 0.99 };

/** One row for each named share of these milliseconds, with its goal if it has one. */
export function percentiles(
  label: string,
  milliseconds: readonly number[],
  wanted: Partial<Record<Share, Goal | 'no goal'>>,
): Result[] {
  const sorted = milliseconds.toSorted((left, right) => left - right);
  return Object.entries(wanted).map(([share, goal]) => ({
    label: `${label}, ${share} ms`,
    digits: 1,
    ours: percentile(sorted, shares[share as Share]),
    ...(goal !== 'no goal' && { goal }),
  }));
}
