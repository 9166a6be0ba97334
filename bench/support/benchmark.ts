import type { CleanUp } from './clean-up.ts';
import type { Comparison } from './compare.ts';

export interface BenchmarkOptions {
  cleanUp: CleanUp;
  /** How often baseline and ours alternate. */
  rounds: number;
  /** How long each measures in a round. */
  seconds: number;
  /** Little of everything, to see that it works. */
  quick: boolean;
  /** The parts that are asked for; none means all. */
  only: readonly string[];
  say: (text: string) => void;
  /** Takes each result as soon as it is there: a long run that fails late has not measured for nothing. */
  show: (comparison: Comparison) => void;
}

export type Benchmark = (options: BenchmarkOptions) => Promise<void>;
