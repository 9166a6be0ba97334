import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { messageCountStore, requestCountStore } from '../../src/limits/limits.store.ts';
import { createPostgresCounter } from '../../src/limits/postgres-counter.ts';
import { createRedisCounter } from '../../src/limits/redis-counter.ts';
import type { Counted, Quota, RequestCounter } from '../../src/limits/request-counter.ts';
import { openRedis, type Redis } from '../../src/redis/open-redis.ts';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import { openLimits } from '../../src/wiring/open-limits.ts';
import { eventually } from '../support/chat.ts';
import { until } from '../support/faults/until.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

let store: TestDatabase;
let server: RedisServer;
const databases: Database[] = [];
const connections: Redis[] = [];
beforeAll(async () => {
  store = await createTestDatabase();
  server = await startRedisServer();
  for (let node = 0; node < 3; node += 1) {
    databases.push(openDatabase({ connection: store.connection, onConnectionError: () => undefined }));
    connections.push(openRedis({ url: server.url }));
  }
  await until('all are connected', () => connections.every(({ client }) => client !== undefined));
});
afterAll(async () => {
  for (const database of databases) await database.close();
  for (const redis of connections) await redis.close();
  await server.stop();
  await store.drop();
});

let names = 0;
/** A quota that no other test has used. */
function quota(limit: number, windowSeconds = 60): Quota {
  names += 1;
  return { name: `key ${names}`, limit, windowSeconds };
}

const stores = [
  {
    name: 'PostgreSQL',
    nodes: () => databases.map(({ counting }) => createPostgresCounter(counting, requestCountStore)),
  },
  {
    name: 'PostgreSQL, durably',
    nodes: () => databases.map(({ counting }) => createPostgresCounter(counting, messageCountStore)),
  },
  { name: 'Redis', nodes: () => connections.map(createRedisCounter) },
];

describe.each(stores)('three nodes that count in $name', ({ nodes }) => {
  let one: RequestCounter;
  let other: RequestCounter;
  let all: RequestCounter[];
  beforeEach(() => {
    all = nodes();
    [one, other] = all as [RequestCounter, RequestCounter];
  });

  /** Sends the requests from all nodes at the same time. */
  async function flood(requests: Quota[][]): Promise<Counted[]> {
    return Promise.all(all.flatMap((node) => requests.map((quotas) => node.add(quotas))));
  }

  it('admit exactly the limit, and report each count once', async () => {
    const key = quota(40);
    const counted = await flood(Array.from({ length: 30 }, () => [key, quota(1_000)]));
    const admitted = counted.filter(({ isAdmitted }) => isAdmitted).map(({ count }) => count);
    expect(admitted.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    const refused = counted.filter(({ isAdmitted }) => !isAdmitted);
    expect(new Set(refused.map(({ count }) => count))).toEqual(new Set([40]));
  });

  it('admit exactly what the keys and their workspaces allow together', async () => {
    const workspaces = Array.from({ length: 4 }, () => quota(25));
    // Ten per key, of which each workspace has four, and more requests than that.
    const requests = workspaces.flatMap((workspace) =>
      Array.from({ length: 4 }, () => quota(10)).flatMap((key) =>
        Array.from({ length: 6 }, () => [key, workspace]),
      ),
    );
    const counted = await flood(requests);
    expect(counted.filter(({ isAdmitted }) => isAdmitted)).toHaveLength(4 * 25);
    const next = await one.add([quota(1), ...workspaces.slice(0, 1)]);
    expect(next).toMatchObject({ isAdmitted: false, quota: workspaces[0], count: 25 });
  });

  it('count a request against all of its quotas or against none', async () => {
    const [narrow, wide] = [quota(2), quota(3)];
    for (let index = 0; index < 2; index += 1) await one.add([narrow, wide]);
    for (const node of all) {
      expect(await node.add([narrow, wide])).toMatchObject({ isAdmitted: false, quota: narrow, count: 2 });
    }
    const another = quota(5);
    expect(await other.add([another, wide])).toMatchObject({ isAdmitted: true, quota: wide, count: 3 });
    expect(await one.add([another, wide])).toMatchObject({ isAdmitted: false, quota: wide, count: 3 });
    expect(await one.add([another])).toMatchObject({ isAdmitted: true, count: 2 });
  });

  it('agree on when a window ends, and on windows of different lengths', async () => {
    const [minute, hour, short] = [quota(5), quota(5, 3_600), quota(1, 1)];
    const first = await one.add([minute]);
    expect(first.millisecondsLeft).toBe(60_000);
    const second = await other.add([minute]);
    expect(second.count).toBe(2);
    expect(second.millisecondsLeft).toBeLessThanOrEqual(60_000);
    expect((await other.add([hour])).millisecondsLeft).toBe(3_600_000);
    expect(await one.add([short])).toMatchObject({ isAdmitted: true, millisecondsLeft: 1_000 });
    await eventually(async () => (await other.add([short])).isAdmitted).toBe(true);
    expect((await one.add([minute])).count).toBe(3);
  });

  it('start a window again that has more time left than a whole one', async () => {
    // As if the clock had been set back by an hour since.
    const key = quota(2);
    await one.add([{ ...key, windowSeconds: 3_660 }]);
    await one.add([{ ...key, windowSeconds: 3_660 }]);
    expect(await other.add([key])).toMatchObject({ isAdmitted: true, count: 1, millisecondsLeft: 60_000 });
  });

  it('take back what another has counted, but never from a later window', async () => {
    const key = quota(2);
    const first = await one.add([key]);
    const second = await one.add([key]);
    expect(second).toMatchObject({ isAdmitted: true, count: 2 });
    await other.takeBack(first);
    expect(await other.add([key])).toMatchObject({ isAdmitted: true, count: 2 });
    // As if it had been counted in a window that was about to end.
    await one.takeBack({ ...second, millisecondsLeft: 5 });
    expect(await other.add([key])).toMatchObject({ isAdmitted: false });
    await one.takeBack({ ...second, quota: quota(2) });
    for (let index = 0; index < 3; index += 1) await one.takeBack(second);
    expect(await other.add([key])).toMatchObject({ isAdmitted: true, count: 1 });
  });
});

it('a single process counts in its memory', async () => {
  const unused = new Proxy({} as Database['counting'], {
    get() {
      throw new Error('The database is not needed.');
    },
  });
  const database = { counting: unused, acrossWorkspaces: unused } as Database;
  const box = createSecretBox(createKeyRing(Buffer.alloc(32, 1)));
  const log = pino({ level: 'silent' });
  const config = { rateLimitPerMinute: 3 } as Config;
  const given = { config, database, box, log, isAlone: true, maxCountMilliseconds: undefined };
  const { services, rounds = [], close } = openLimits(given);
  const { limits } = services;
  expect(rounds.map(({ name }) => name)).toEqual(['message counts']);
  expect(close).toBeUndefined();
  const caller = { keyId: 'key', workspaceId: 'workspace', limits: {} };
  const rates = await Promise.all([1, 2, 3, 4].map(async () => limits.admit(caller)));
  expect(rates.map((rate) => rate?.isOver)).toEqual([false, false, false, true]);
});

it('PostgreSQL keeps no counts of windows that are over', async () => {
  const { counting } = store.database;
  const counter = createPostgresCounter(counting, requestCountStore);
  const [short, long] = [quota(5, 1), quota(5)];
  await counter.add([short]);
  await counter.add([long]);
  const kept = async () => {
    await requestCountStore.deleteExpiredAcrossWorkspaces(store.database.acrossWorkspaces);
    const rows = await counting.prepared<{ name: string }>(
      { name: 'kept', text: 'select name from request_counts where name = any($1)' },
      [[short.name, long.name]],
    );
    return rows.map(({ name }) => name);
  };
  await eventually(kept).toEqual([long.name]);
  expect(await counter.add([long])).toMatchObject({ count: 2 });
  expect(await counter.add([short])).toMatchObject({ count: 1 });
});

it('Redis keeps no counts of windows that are over', async () => {
  const [redis] = connections;
  if (!redis) throw new Error('There are three.');
  const counter = createRedisCounter(redis);
  const [short, long] = [await addOnce(counter, quota(5, 1)), await addOnce(counter, quota(5))];
  expect(await server.command('EXISTS', `svc:requests:${long.name}`)).toBe(1);
  await eventually(() => server.command('EXISTS', `svc:requests:${short.name}`)).toBe(0);
});

async function addOnce(counter: RequestCounter, one: Quota): Promise<Quota> {
  await counter.add([one]);
  return one;
}
