import { setTimeout as delay } from 'node:timers/promises';
import type { Comparison } from '../support/compare.ts';
import type { Section } from './section.ts';
import { type Contender, onStage, type Service, type User } from './stage.ts';

/** An idle connection of PostgreSQL tells what it did within ten seconds. */
const settleMilliseconds = 11_000;
const streams = 8;

/** What PostgreSQL has done so far. */
interface Written {
  commits: number;
  /** The length of its log: what every write costs the disk, and each replica. */
  bytes: number;
}

/** How many transactions PostgreSQL commits for a turn (reads that stand alone are transactions, too), and what it logs. */
export const transactions: Section = ({ quick, say }) =>
  onStage(async ({ generators: [generator], baseline, ours }) => {
    const turns = quick ? 200 : 1000;
    const run = (contender: Contender, user: User, amount: number) =>
      generator.run({ ...contender.job('at-once', user), streams, until: { turns: amount } });
    await run(baseline, 'known', turns / 4);
    await run(ours, 'known', turns / 4);
    await run(ours, 'new', turns / 4);
    await delay(settleMilliseconds);
    const idle = await written(ours, () => Promise.resolve());
    say('Transactions: what happens without a turn is known');

    const perTurn = async (contender: Contender, user: User): Promise<Written> => {
      const { milliseconds, ...all } = await written(ours, () => run(contender, user, turns));
      const share = milliseconds / idle.milliseconds;
      return {
        commits: (all.commits - idle.commits * share) / turns,
        bytes: (all.bytes - idle.bytes * share) / turns,
      };
    };
    const relay = await perTurn(baseline, 'known');
    const perSecond = (idle.commits / idle.milliseconds) * 1000;
    const comparisons: Comparison[] = [];
    for (const user of ['new', 'known'] as const) {
      const turn = await perTurn(ours, user);
      comparisons.push({
        title: `First message of a ${user} user: what is written, over ${turns} turns, without the ${perSecond.toFixed(1)} transactions/s of an idle service`,
        results: [
          {
            label: 'transactions/turn',
            digits: 1,
            // To a tenth: what happens without a turn does not happen evenly.
            baseline: toTenth(relay.commits),
            ours: toTenth(turn.commits),
            ratio: turn.commits / relay.commits,
            goal: { most: 2 },
          },
          {
            label: 'WAL kB/turn',
            digits: 2,
            baseline: relay.bytes / 1000,
            ours: turn.bytes / 1000,
            ratio: turn.bytes / relay.bytes,
            goal: { most: 3 },
          },
        ],
      });
    }
    return comparisons;
  });

async function written(service: Service, work: () => Promise<unknown>) {
  const before = await look(service);
  const started = performance.now();
  await work();
  await delay(settleMilliseconds);
  const after = await look(service);
  return {
    commits: after.commits - before.commits,
    bytes: after.bytes - before.bytes,
    milliseconds: performance.now() - started,
  };
}

async function look({ sql }: Service): Promise<Written> {
  const [row] = await sql<{ commits: string; bytes: string }>(
    `select xact_commit as commits, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes
    from pg_stat_database where datname = current_database()`,
  );
  return { commits: Number(row?.commits), bytes: Number(row?.bytes) };
}

function toTenth(value: number): number {
  return Math.round(value * 10) / 10;
}
