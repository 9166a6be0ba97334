import { type Comparison, compare, type Metric, type Sample } from '../support/compare.ts';
import { secondsPerTurn } from '../support/generator/job.ts';
import type { Generator } from '../support/generator/start.ts';
import { measureTurns } from './measure-turns.ts';
import type { Section } from './section.ts';
import { type Contender, onStage } from './stage.ts';

const warmUpTurns = 2;
const processor: Metric = { name: 'processor', label: 'server CPU ms/turn', better: 'less', digits: 2 };
const lag95: Metric = { name: 'lag95', label: 'token lag p95 ms', better: 'less', digits: 2 };
const shared: Metric[] = [
  { name: 'first50', label: 'first token p50 ms', better: 'less', digits: 2 },
  { name: 'lag50', label: 'token lag p50 ms', better: 'less', digits: 2 },
];
const loads: { streams: number; metrics: Metric[] }[] = [
  {
    streams: 50,
    metrics: [{ ...processor, goal: { ratio: 1.5 } }, ...shared, { ...lag95, goal: { ratio: 3 } }],
  },
  {
    streams: 200,
    metrics: [
      processor,
      ...shared,
      { ...lag95, goal: { most: 100 } },
      { name: 'added50', label: 'added to a token p50 ms', better: 'less', digits: 2 },
      { name: 'added95', label: 'added to a token p95 ms', better: 'less', digits: 2 },
    ],
  },
];

/** A model that writes a token every 20 ms: what it costs to pass them on, and how late they come. */
export const paced: Section = ({ rounds, seconds, say }) =>
  onStage(async ({ generators: [generator], model, baseline, ours }) => {
    const comparisons: Comparison[] = [];
    for (const { streams, metrics } of loads) {
      const run = (contender: Contender) => () =>
        measure(generator, { contender, model, streams, turns: Math.ceil(seconds / secondsPerTurn) });
      comparisons.push(
        await compare({
          title: `${streams} streams of 60 tokens, one every 20 ms`,
          metrics,
          rounds,
          baseline: run(baseline),
          ours: run(ours),
          onRound: say,
        }),
      );
    }
    return comparisons;
  });

interface Load {
  contender: Contender;
  model: Contender;
  streams: number;
  /** By each stream. */
  turns: number;
}

/** First the same load without the service in between: the difference is what the service adds. */
async function measure(generator: Generator, { contender, model, streams, turns }: Load): Promise<Sample> {
  const load = { streams, until: { turns: streams * turns }, spreadMilliseconds: secondsPerTurn * 1000 };
  const direct = await measureTurns(generator, model.pid, { ...model.job('paced'), ...load });
  // It was idle while the other one was measured, and V8 drops compiled code: recompiling is not a cost of turns.
  await generator.run({ ...contender.job('paced', 'new'), ...load, until: { turns: streams * warmUpTurns } });
  const sample = await measureTurns(generator, contender.pid, { ...contender.job('paced', 'new'), ...load });
  return {
    ...sample,
    added50: (sample['lag50'] ?? Number.NaN) - (direct['lag50'] ?? Number.NaN),
    added95: (sample['lag95'] ?? Number.NaN) - (direct['lag95'] ?? Number.NaN),
  };
}
