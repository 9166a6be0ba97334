import type { BenchmarkOptions } from '../support/benchmark.ts';
import type { Comparison } from '../support/compare.ts';

/** One measurement, on a stage of its own. */
export type Section = (
  options: Pick<BenchmarkOptions, 'rounds' | 'seconds' | 'quick' | 'say'>,
) => Promise<Comparison[]>;
