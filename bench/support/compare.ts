import type { Goal, Measured } from './goal.ts';
import { median } from './numbers.ts';

/** What one round measured, by the names of the metrics. What could not be measured is left out. */
export type Sample = Record<string, number>;

export interface Metric {
  name: string;
  label: string;
  better: 'more' | 'less';
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

/**
 * Measures both in turn, again and again, each first as often as the other. A machine's speed drifts, so a round is
 * compared with its neighbour, and what counts is the median of those ratios.
 */
export async function compare(options: ComparisonOptions): Promise<Comparison> {
  const { title, metrics, rounds } = options;
  // Both have to be compiled, and their tables to be in memory.
  await options.baseline();
  await options.ours();
  const pairs: { baseline: Sample; ours: Sample }[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    pairs.push(await measurePair(options, round % 2 === 1));
    options.onRound(`${title}: round ${round} of ${rounds}`);
  }
  return { title, results: metrics.flatMap((metric) => toResult(metric, pairs)) };
}

async function measurePair({ baseline, ours }: ComparisonOptions, baselineFirst: boolean) {
  if (baselineFirst) return { baseline: await baseline(), ours: await ours() };
  const first = await ours();
  return { baseline: await baseline(), ours: first };
}

function toResult(metric: Metric, pairs: readonly { baseline: Sample; ours: Sample }[]): Result[] {
  const values = pairs.flatMap(({ baseline, ours }) => {
    const [left, right] = [baseline[metric.name], ours[metric.name]];
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
      ratio: median(values.map((value) => value.ratio)),
      added: median(values.map((value) => value.ours - value.baseline)),
      ...(metric.goal !== undefined && { goal: metric.goal }),
    },
  ];
}
