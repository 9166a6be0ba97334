import type { Section } from '../chat/section.ts';
import { nodeOf, onStage } from '../nodes/stage.ts';
import { compare, type Metric, type Sample } from '../support/compare.ts';
import { measureUse } from '../support/processor-use.ts';
import { issueToken } from './issue-token.ts';

/** One at a time, a message waits for one more commit; many share it. A user may have 12 streams at most. */
const goals = [
  { streams: 1, ratio: 1.3 },
  { streams: 8, ratio: 1.3 },
];
const metrics: Metric[] = [
  { name: 'first50', label: 'first token p50 ms', better: 'less', digits: 1 },
  { name: 'first95', label: 'first token p95 ms', better: 'less', digits: 1 },
  { name: 'service', label: 'CPU ms/turn: service', better: 'less', digits: 2 },
  { name: 'PostgreSQL', label: 'CPU ms/turn: PostgreSQL', better: 'less', digits: 2 },
];
const unreachable = { max_messages_per_hour: 100_000, max_usd_per_day: '1000000' };

/** Messages with limits on their number and cost, beside the same messages without. */
export const counting: Section = ({ rounds, seconds, say }) =>
  onStage(async (stage) => {
    const fleet = await stage.startFleet();
    const [generator] = stage.generators;
    const { external_user_id: _, ...body } = fleet.job('at-once').body as Record<string, unknown>;
    const parts = { service: [nodeOf(fleet, 0).pid], PostgreSQL: [stage.postgres.pid] };
    const measure = async (streams: number, caps = {}): Promise<Sample> => {
      const headers = await issueToken(fleet, caps);
      const job = { ...fleet.job('at-once'), headers, body, streams, until: { seconds } };
      const { outcome, spent } = await measureUse(parts, () => generator.run(job));
      const { turns, first } = outcome;
      return {
        rate: turns / (outcome.milliseconds / 1_000),
        first50: first.p50,
        first95: first.p95,
        service: (spent['service'] ?? Number.NaN) / turns,
        PostgreSQL: (spent['PostgreSQL'] ?? Number.NaN) / turns,
      };
    };
    const comparisons = [];
    for (const { streams, ratio } of goals) {
      comparisons.push(
        await compare({
          title: `Messages of one end user with limits, ${streams} at a time, beside the same without`,
          metrics: [
            { name: 'rate', label: 'turns/s', better: 'more', digits: 0, goal: { ratio } },
            ...metrics,
          ],
          rounds,
          baseline: () => measure(streams),
          ours: () => measure(streams, unreachable),
          onRound: say,
        }),
      );
    }
    return comparisons;
  });
