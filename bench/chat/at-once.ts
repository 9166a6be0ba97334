import { type Comparison, compare, type Metric } from '../support/compare.ts';
import { measureTurns } from './measure-turns.ts';
import type { Section } from './section.ts';
import { type Contender, onStage, type User } from './stage.ts';

const rate: Metric = { name: 'rate', label: 'turns/s', better: 'more', digits: 0 };
const whole: Metric = { name: 'whole50', label: 'whole turn p50 ms', better: 'less', digits: 2 };
const processor: Metric = { name: 'processor', label: 'server CPU ms/turn', better: 'less', digits: 2 };
/** At least 0.4 of the baseline's turns. */
const manyTurns: Metric[] = [{ ...rate, goal: { ratio: 2.5 } }, whole, { ...processor, goal: { ratio: 3 } }];
const loads: { streams: number; user: User; metrics: Metric[] }[] = [
  {
    streams: 1,
    user: 'new',
    metrics: [
      { name: 'first50', label: 'first token p50 ms', better: 'less', digits: 2, goal: { added: 3 } },
      { name: 'first95', label: 'first token p95 ms', better: 'less', digits: 2 },
      whole,
      rate,
      processor,
    ],
  },
  { streams: 16, user: 'new', metrics: [rate, whole, processor] },
  { streams: 64, user: 'new', metrics: manyTurns },
  { streams: 64, user: 'known', metrics: manyTurns },
];

/** A model without delay: what a turn costs by itself. */
export const atOnce: Section = ({ rounds, seconds, say }) =>
  onStage(async ({ generators: [generator], baseline, ours }) => {
    const comparisons: Comparison[] = [];
    for (const { streams, user, metrics } of loads) {
      const run = (contender: Contender) => () =>
        measureTurns(generator, contender.pid, {
          ...contender.job('at-once', user),
          streams,
          until: { seconds },
        });
      comparisons.push(
        await compare({
          title: `First message of a ${user} user: 60 tokens at once, ${streams} at a time, beside a relay that writes two rows`,
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
