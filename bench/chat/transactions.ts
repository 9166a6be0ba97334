import { setTimeout as delay } from 'node:timers/promises';
import type { Section } from './section.ts';
import { type Contender, onStage, type Service } from './stage.ts';

/** An idle connection of PostgreSQL tells what it did within ten seconds. */
const settleMilliseconds = 11_000;
const streams = 8;

/** How many transactions PostgreSQL commits for a turn: reads that stand alone are transactions, too. */
export const transactions: Section = ({ quick, say }) =>
  onStage(async ({ generators: [generator], baseline, ours }) => {
    const turns = quick ? 200 : 1000;
    const run = (contender: Contender, amount: number) =>
      generator.run({ ...contender.job('at-once'), streams, until: { turns: amount } });
    await run(baseline, 50);
    await run(ours, 50);
    await delay(settleMilliseconds);
    const idle = await committed(ours, () => Promise.resolve());
    const perMillisecond = idle.commits / idle.milliseconds;
    say('Transactions: what happens without a turn is known');

    const perTurn = async (contender: Contender) => {
      const { commits, milliseconds } = await committed(ours, () => run(contender, turns));
      // To a tenth: what happens without a turn does not happen evenly.
      return Math.round((commits - perMillisecond * milliseconds) / (turns / 10)) / 10;
    };
    const left = await perTurn(baseline);
    const right = await perTurn(ours);
    return [
      {
        title: `Transactions, over ${turns} turns, without the ${(perMillisecond * 1000).toFixed(1)}/s of an idle service`,
        results: [
          {
            label: 'transactions/turn',
            digits: 1,
            baseline: left,
            ours: right,
            ratio: right / left,
            goal: { most: 3 },
          },
        ],
      },
    ];
  });

async function committed(service: Service, work: () => Promise<unknown>) {
  const before = await count(service);
  const started = performance.now();
  await work();
  await delay(settleMilliseconds);
  return { commits: (await count(service)) - before, milliseconds: performance.now() - started };
}

async function count({ sql }: Service): Promise<number> {
  const [row] = await sql<{ commits: string }>(
    'select xact_commit as commits from pg_stat_database where datname = current_database()',
  );
  return Number(row?.commits);
}
