import type { Goal, Measured } from './goal.ts';
import { median } from './numbers.ts';

/** What one round measured, by the names of the metrics. What could not be measured is left out. */
export type Sample = Record<string, number>;

export interface Metric {
  name: string;
  label: string;
  /** Left out for a number that only explains others: it gets no ratio. */
  better?: 'more' | 'less';
  digits: number;
  goal?: Goal;
}

export interface Result extends Measured {
  label: string;
  digits: number;
}

export interface Comparison {
  title: string;
  results: Result[];
}

export interface ComparisonOptions {
  title: string;
  metrics: readonly Metric[];
  rounds: number;
  baseline: () => Promise<Sample>;
  ours: () => Promise<Sample>;
  /** Told after every round. */
  onRound: (text: string) => void;
}

export interface RoundOptions extends Pick<ComparisonOptions, 'title' | 'rounds' | 'onRound'> {
  /** Skips the warm-up: the caller has run everything before. */
  isWarm?: boolean;
}

export async function compare(options: ComparisonOptions): Promise<Comparison> {
  const { title, metrics, rounds, onRound } = options;
  const { baseline, ours } = await measureInTurn(
    { baseline: options.baseline, ours: options.ours },
    { title, rounds, onRound },
  );
  return { title, results: toResults(metrics, baseline, ours) };
}

/**
 * Measures all of them one after the other, again and again, each early in a round as often as late. A machine's speed drifts, so only
 * samples of the same round are compared with each other.
 */
export async function measureInTurn<Name extends string>(
  contenders: Record<Name, () => Promise<Sample>>,
  { title, rounds, onRound, isWarm = false }: RoundOptions,
): Promise<Record<Name, Sample[]>> {
  const all = Object.entries<() => Promise<Sample>>(contenders);
  // Each has to be compiled, and its tables to be in memory.
  for (const [, measure] of isWarm ? [] : all) await measure();
  const samples = Object.fromEntries(all.map(([name]) => [name, []])) as unknown as Record<string, Sample[]>;
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, measure] of round % 2 === 1 ? all : all.toReversed()) {
      samples[name]?.push(await measure());
    }
    onRound(`${title}: round ${round} of ${rounds}`);
  }
  return samples;
}

/** Compares the samples of each round with each other; what counts is the median of those ratios. */
export function toResults(
  metrics: readonly Metric[],
  baseline: readonly Sample[],
  ours: readonly Sample[],
): Result[] {
  return metrics.flatMap((metric) => toResult(metric, baseline, ours));
}

function toResult(metric: Metric, baseline: readonly Sample[], ours: readonly Sample[]): Result[] {
  const values = ours.flatMap((sample, round) => {
    const [left, right] = [baseline[round]?.[metric.name], sample[metric.name]];
    if (left === undefined || right === undefined) return [];
    return { baseline: left, ours: right, ratio: metric.better === 'more' ? left / right : right / left };
  });
  if (values.length === 0) return [];
  return [
    {
      label: metric.label,
      digits: metric.digits,
      baseline: median(values.map((value) => value.baseline)),
      ours: median(values.map((value) => value.ours)),
      ...(metric.better && { ratio: median(values.map((value) => value.ratio)) }),
      added: median(values.map((value) => value.ours - value.baseline)),
      ...(metric.goal !== undefined && { goal: metric.goal }),
    },
  ];
}
