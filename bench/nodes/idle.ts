import { setTimeout as delay } from 'node:timers/promises';
import { createConversations } from '../chat/create-conversations.ts';
import type { Section } from '../chat/section.ts';
import { type Metric, type Sample, toResults } from '../support/compare.ts';
import { measureUse } from '../support/processor-use.ts';
import { type Fleet, nodeOf, onStage, type Stage } from './stage.ts';

const settleMilliseconds = 3_000;
/** Every follower gets one heartbeat in this time. */
const windowMilliseconds = 15_000;
const metrics: Metric[] = [
  { name: 'ofConversations', label: 'statements/s about conversations', digits: 2 },
  { name: 'statements', label: 'statements/s', digits: 2 },
  { name: 'database', label: 'PostgreSQL: ms/s in statements', better: 'less', digits: 2 },
  { name: 'node', label: 'CPU ms/s: node', better: 'less', digits: 2 },
  { name: 'Redis', label: 'CPU ms/s: Redis', digits: 2 },
];
/** Nothing is read for followers: nodes that reach each other do not look at the log. */
const withoutMore: Metric[] = metrics.map((metric) =>
  metric.name === 'ofConversations' ? { ...metric, goal: { added: 0.2 } } : metric,
);

/** What followers cost while nothing happens in their conversations. */
export const idle: Section = ({ quick, say }) =>
  onStage(async (stage) => {
    const count = quick ? 100 : 1_000;
    const cases = [
      { title: 'of a single node', fleet: await stage.startFleet(), metrics: withoutMore },
      {
        title: 'of one of two nodes with Redis',
        fleet: await stage.startFleet({ nodes: 2, redis: true }),
        metrics: withoutMore,
      },
      { title: 'of one of two nodes without Redis', fleet: await stage.startFleet({ nodes: 2 }), metrics },
    ];
    const [, reading] = stage.generators;
    // They do next to nothing, so they are measured at the same time.
    const measureAll = async () => {
      await delay(settleMilliseconds);
      return Promise.all(
        cases.map(({ fleet }) => measure(stage, fleet, quick ? settleMilliseconds : windowMilliseconds)),
      );
    };
    const before = await measureAll();
    say('Idle: without followers was measured');
    for (const { fleet } of cases) {
      const ids = await createConversations(fleet, 'at-once', count);
      const { headers } = fleet.job('at-once');
      const paths = ids.map((id) => `/api/v1/chat/stream?conversation_id=${id}`);
      await reading.run({ kind: 'open-readers', url: fleet.url, headers, paths });
    }
    const after = await measureAll();
    const stayed = await reading.run({ kind: 'close-readers' });
    if (stayed !== count * cases.length) throw new Error('Followers were cut off.');
    return cases.map(({ title, metrics: shown }, index) => ({
      title: `${count} followers ${title} while nothing happens, beside none`,
      results: toResults(shown, before.slice(index, index + 1), after.slice(index, index + 1)),
    }));
  });

async function measure({ postgres }: Stage, fleet: Fleet, milliseconds: number): Promise<Sample> {
  const { database } = fleet.connection;
  const parts = { node: [nodeOf(fleet, 0).pid], Redis: fleet.redis ? [fleet.redis.pid] : [] };
  const before = await postgres.readTotals(database);
  const { spent, ...use } = await measureUse(parts, () => delay(milliseconds));
  const after = await postgres.readTotals(database);
  const perSecond = (value: number) => (1000 * value) / use.milliseconds;
  return {
    ofConversations: perSecond(after.ofConversations - before.ofConversations),
    statements: perSecond(after.statements - before.statements),
    database: perSecond(after.milliseconds - before.milliseconds),
    node: perSecond(spent['node'] ?? Number.NaN),
    ...(fleet.redis && { Redis: perSecond(spent['Redis'] ?? Number.NaN) }),
  };
}
