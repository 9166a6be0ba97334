import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PlannedModel, startPlannedModel } from '../support/faults/model.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../support/faults/proxy.ts';
import {
  conversationOf,
  createFleet,
  expectWhole,
  key,
  makeBot,
  type Reachable,
  readStored,
} from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

const fleet = createFleet();
let database: TestDatabase;
let proxy: DatabaseProxy;
let redis: RedisServer;
let model: PlannedModel;
let staying: Reachable;
let botId: string;

beforeAll(async () => {
  [database, redis, model] = await Promise.all([
    createTestDatabase(),
    startRedisServer(),
    startPlannedModel(),
  ]);
  proxy = await startDatabaseProxy(database);
  staying = await fleet.startHere(database, { OPENAI_BASE_URL: model.url });
  botId = await makeBot(staying);
});
afterAll(async () => {
  await fleet.end();
  await Promise.all([model.close(), redis.stop(), proxy.close()]);
  await database.drop();
});

const start = (environment: Record<string, string>) =>
  fleet.start({ OPENAI_BASE_URL: model.url, ...environment });

/** A turn whose model hangs the first time. */
async function begin(service: ServiceProcess, message: string): Promise<string> {
  model.plan(message, [{ type: 'hang' }], [{ type: 'text', text: 'Here I am.' }]);
  const stream = fleet.send(service, { message, bot_id: botId, new_conversation: true });
  const conversationId = await conversationOf(stream);
  await until('the model is asked', () => model.calls(message) === 1);
  return conversationId;
}

async function expectCompleted(conversationId: string): Promise<void> {
  await until('the turn ends', async () => (await readStored(staying, conversationId)).status === 'idle');
  const stored = await readStored(staying, conversationId);
  expectWhole(stored, 1, stored.stats.input_tokens);
}

it('a node stops in time while its database or Redis does not answer, and its turns continue elsewhere', async () => {
  const [withoutDatabase, withoutRedis] = await Promise.all([
    start(proxy.environment),
    start({ ...database.environment, REDIS_URL: redis.url }),
  ]);
  const turns = [await begin(withoutDatabase, 'first'), await begin(withoutRedis, 'second')];
  proxy.freeze();
  redis.pause();
  // The first one gives up just before ten seconds; without a limit it would wait for its database forever.
  const [, { code }] = await Promise.all([withoutDatabase.end('SIGTERM'), withoutRedis.end('SIGTERM')]);
  redis.resume();
  expect(code).toBe(0);
  for (const conversationId of turns) await expectCompleted(conversationId);
  expect([model.calls('first'), model.calls('second')]).toEqual([2, 2]);
});

const stop = (conversationId: string) =>
  staying.call(key)('POST /api/v1/chat/stop', { body: { conversation_id: conversationId } });

it('a node stops a turn whose owner cannot be notified, even while the owner itself is stopping', async () => {
  const other = await startDatabaseProxy(database);
  const owner = await start(other.environment);
  const unnotified = await begin(owner, 'unnotified');
  const thaw = other.freeze('svc listener');
  expect(await stop(unnotified)).toMatchObject({ status: 200, body: { stopped: true } });
  thaw();

  const leaving = await begin(owner, 'leaving');
  other.freeze('svc listener');
  const ended = owner.end('SIGTERM');
  expect(await stop(leaving)).toMatchObject({ status: 200, body: { stopped: true } });
  await ended;
  await other.close();
  for (const conversationId of [unnotified, leaving]) {
    const { events } = await readStored(staying, conversationId);
    expect(events.map(({ event }) => event)).toEqual(['turn.started', 'turn.interrupted']);
    expect(events[1]?.data.by).toBe('api');
  }
  expect([model.calls('unnotified'), model.calls('leaving')]).toEqual([1, 1]);
});
