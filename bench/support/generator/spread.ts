import { percentile } from '../numbers.ts';
import type { Spread } from './job.ts';

export function spread(numbers: readonly number[]): Spread {
  const sorted = numbers.toSorted((left, right) => left - right);
  return { p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95) };
}
