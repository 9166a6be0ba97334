import { setTimeout as delay } from 'node:timers/promises';
import type { Section } from '../chat/section.ts';
import { type Fleet, nodeOf, onStage, type Stage } from '../nodes/stage.ts';
import { compare, type Metric, type Sample } from '../support/compare.ts';
import { load } from '../support/load.ts';
import { measureUse } from '../support/processor-use.ts';
import { issueToken } from './issue-token.ts';

/** Each refusal is held back for a second, so this is also their rate. */
const connections = 256;
const path = '/api/v1/chat/send-stream';
const metrics: Metric[] = [
  { name: 'rate', label: 'refusals/s', digits: 0 },
  { name: 'perRefusal', label: 'CPU ms/refusal', digits: 2 },
  { name: 'service', label: 'CPU ms/s: service', digits: 1 },
  { name: 'PostgreSQL', label: 'CPU ms/s: PostgreSQL', digits: 1 },
  // One request per second looks whether there is room again.
  { name: 'statements', label: 'statements/s', digits: 1, goal: { added: 5 } },
];

/** Messages over the limit, beside a service that gets none. */
export const flood: Section = ({ rounds, seconds, say }) =>
  onStage(async (stage) => {
    const fleet = await stage.startFleet();
    const body = { message: 'Where is my parcel? '.repeat(20), bot_id: fleet.bot['at-once'] };
    const headers = await issueToken(fleet, { max_messages_per_hour: 1 });
    await sendFirst(fleet, headers, body);
    const request = { method: 'POST', path, headers, body, connections, seconds, status: 429 };
    const ours = async (): Promise<Sample> => {
      let rate = 0;
      const use = await measure(stage, fleet, async () => {
        ({ rate = 0 } = await load(nodeOf(fleet, 0), request));
      });
      return { ...use, rate, perRefusal: (use['service'] ?? Number.NaN) / rate };
    };
    return [
      await compare({
        title: `Messages over the limit on ${connections} connections, beside none`,
        metrics,
        rounds,
        baseline: async () => ({
          ...(await measure(stage, fleet, () => delay(seconds * 1_000))),
          rate: 0,
          perRefusal: 0,
        }),
        ours,
        onRound: say,
      }),
    ];
  });

async function measure({ postgres }: Stage, fleet: Fleet, work: () => Promise<void>): Promise<Sample> {
  const { database } = fleet.connection;
  const parts = { service: [nodeOf(fleet, 0).pid], PostgreSQL: [postgres.pid] };
  const before = await postgres.readTotals(database);
  const { spent, milliseconds } = await measureUse(parts, work);
  const after = await postgres.readTotals(database);
  const perSecond = (value = Number.NaN) => (1_000 * value) / milliseconds;
  return {
    service: perSecond(spent['service']),
    PostgreSQL: perSecond(spent['PostgreSQL']),
    statements: perSecond(after.statements - before.statements),
  };
}

async function sendFirst({ url }: Fleet, headers: Record<string, string>, body: object): Promise<void> {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`The first message was refused: ${await answer.text()}`);
  await answer.text();
}
