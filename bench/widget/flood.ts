import type { Section } from '../chat/section.ts';
import { nodeOf, onStage } from '../nodes/stage.ts';
import { compare, type Metric, type Sample } from '../support/compare.ts';
import { load } from '../support/load.ts';
import { issueToken } from './issue-token.ts';

const connections = 16;
const metrics: Metric[] = [
  { name: 'rate', label: 'refusals/s', better: 'more', digits: 0, goal: { ratio: 1.5 } },
  { name: 'p50', label: 'p50 ms', better: 'less', digits: 2 },
  { name: 'p99', label: 'p99 ms', better: 'less', digits: 2 },
  { name: 'processor', label: 'CPU ms/refusal', better: 'less', digits: 3, goal: { ratio: 1.5 } },
  { name: 'statements', label: 'statements/s in PostgreSQL', digits: 1 },
];

/** Messages over the limit, beside requests with a token that nobody has issued. */
export const flood: Section = ({ rounds, seconds, say }) =>
  onStage(async ({ startFleet, postgres }) => {
    const fleet = await startFleet();
    const { database } = fleet.connection;
    const bot = { bot_id: fleet.bot['at-once'] };
    const path = '/api/v1/chat/send-stream';
    const body = { message: 'Where is my parcel? '.repeat(20), ...bot };
    const over = await issueToken(fleet, { max_messages_per_hour: 1 });
    const first = await fetch(fleet.url + path, {
      method: 'POST',
      headers: { ...over, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!first.ok) throw new Error(`The first message was refused: ${await first.text()}`);
    await first.text();
    const measure = async (headers: Record<string, string>, status: number): Promise<Sample> => {
      const before = await postgres.readTotals(database);
      const started = performance.now();
      const request = { method: 'POST', path, headers, body, connections, seconds, status };
      const sample = await load(nodeOf(fleet, 0), request);
      const after = await postgres.readTotals(database);
      const elapsedSeconds = (performance.now() - started) / 1_000;
      return { ...sample, statements: (after.statements - before.statements) / elapsedSeconds };
    };
    const forged = { authorization: `${over['authorization']?.slice(0, -8)}AAAAAAAA` };
    return [
      await compare({
        title: `Messages over the limit, ${connections} at once, beside requests with a forged token`,
        metrics,
        rounds,
        baseline: () => measure(forged, 401),
        ours: () => measure(over, 429),
        onRound: say,
      }),
    ];
  });
