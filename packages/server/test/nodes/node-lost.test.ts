import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ScriptStep } from '../scripted-model/script.ts';
import { eventually } from '../support/chat.ts';
import { type PlannedModel, startPlannedModel } from '../support/faults/model.ts';
import {
  conversationOf,
  createFleet,
  makeBot,
  type Reachable,
  readStored,
} from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import { createClientView } from '../support/faults/view.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

let redis: RedisServer;
let database: TestDatabase;
let model: PlannedModel;
const fleet = createFleet();
/** Undefined after it was killed. */
let a: ServiceProcess | undefined;
let b: Reachable;
let botId: string;

beforeAll(async () => {
  [redis, database, model] = await Promise.all([
    startRedisServer(),
    createTestDatabase(),
    startPlannedModel(),
  ]);
  b = await fleet.startHere(database, environment());
  botId = await makeBot(b);
});
beforeEach(async () => {
  a ??= await start();
});
afterAll(async () => {
  await fleet.end();
  await Promise.all([model.close(), redis.stop()]);
  await database.drop();
});

const environment = () => ({ OPENAI_BASE_URL: model.url, REDIS_URL: redis.url });
const start = () => fleet.start({ ...database.environment, ...environment() });

const slowly = (milliseconds: number): ScriptStep[] => [
  { type: 'text', text: 'This is lost' },
  { type: 'delay', milliseconds },
  { type: 'text', text: ' and never shown.' },
];
const answer: ScriptStep[] = [{ type: 'text', text: 'Another node answers.' }];

/** A turn on A with a reader on each node. */
async function begin(message: string) {
  if (!a) throw new Error('A was killed.');
  const sender = fleet.send(a, { message, bot_id: botId, new_conversation: true });
  const conversationId = await conversationOf(sender);
  const [viewA, viewB] = [createClientView(), createClientView()];
  const readerA = fleet.follow(a, conversationId, viewA);
  const reader = fleet.follow(b, conversationId, viewB);
  const text = ({ previews }: typeof viewA) => [...previews.values()].join();
  await eventually(() => text(viewA)).toBe('This is lost');
  return { a, conversationId, viewA, viewB, readerA, reader, text };
}

const isIdle = async (conversationId: string) => (await readStored(b, conversationId)).status === 'idle';

it('a reader on B drops the preview of node A that was killed, and gets the new reply', async () => {
  model.plan('killed', slowly(60_000), answer);
  const { conversationId, viewB, reader, text } = await begin('killed');
  await eventually(() => text(viewB)).toBe('This is lost');
  await a?.end('SIGKILL');
  a = undefined;
  await until('the turn ends', () => isIdle(conversationId));
  const { events } = await readStored(b, conversationId);
  await eventually(() => viewB.durable).toEqual(events);
  expect(viewB).toMatchObject({ faults: [], retracted: { size: 1 }, previews: { size: 0 } });
  const retractedAt = reader.events.findIndex(
    ({ event, data }) => event === 'stream.snapshot' && data.text === '',
  );
  const replyAt = reader.events.findIndex(({ data }) => data.text?.startsWith('Another') === true);
  expect(retractedAt).toBeLessThan(replyAt);
});

it('the readers of a node that pauses for longer than its lease catch up, and see no more of its preview', async () => {
  // The rest of the lost reply waits in A's socket when it continues.
  model.plan('paused', slowly(5_000), answer);
  const { a: paused, conversationId, viewA, viewB, readerA } = await begin('paused');
  paused.child.kill('SIGSTOP');
  await until('another node ends the turn', () => isIdle(conversationId));
  const { events } = await readStored(b, conversationId);
  await eventually(() => viewB.durable).toEqual(events);
  paused.child.kill('SIGCONT');
  await eventually(() => viewA.durable).toEqual(events);
  await until('A has noticed', () => paused.output().includes('Another node has this turn now'));
  await sleep(200);
  for (const view of [viewA, viewB]) expect(view).toMatchObject({ faults: [], previews: { size: 0 } });
  expect(viewA.retracted.size).toBe(1);
  expect(readerA.body()).not.toContain('never shown');
});
