import type { BenchmarkOptions } from '../support/benchmark.ts';
import type { Comparison } from '../support/compare.ts';

export type Section = (
  options: Pick<BenchmarkOptions, 'cleanUp' | 'rounds' | 'seconds' | 'quick' | 'say'>,
) => Promise<Comparison[]>;
