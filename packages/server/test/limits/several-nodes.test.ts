import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { createKeyCache } from '../../src/keys/key-cache.ts';
import { createKeyService } from '../../src/keys/keys.service.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { makeKey } from '../../src/secrets/bearer-key.ts';
import { createWorkspaceService } from '../../src/workspaces/workspaces.service.ts';
import { eventually, upTo } from '../support/chat.ts';
import { until } from '../support/faults/until.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import type { Answer } from '../support/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';

const bots = 'GET /api/v1/bots';

let store: TestDatabase;
let server: RedisServer;
beforeAll(async () => {
  [store, server] = await Promise.all([createTestDatabase(), startRedisServer()]);
});
afterAll(async () => {
  await server.stop();
  await store.drop();
});

interface CountingNode extends TestNode {
  /** How many statements have counted requests so far. */
  statements(): number;
}

/** Long enough for servers that get no processor for a while, since a node that waited in vain would count on its own. */
const maxCountMilliseconds = 20_000;

/** A node with its own connections. */
async function start(environment: Record<string, string>): Promise<CountingNode> {
  const database = openDatabase({ connection: store.connection, onConnectionError: () => undefined });
  let statements = 0;
  const prepared: Database['counting']['prepared'] = (statement, values) => {
    if (statement.name === 'count_requests') statements += 1;
    return database.counting.prepared(statement, values);
  };
  const counting = Object.assign(Object.create(database.counting) as Database['counting'], { prepared });
  const node = await startNode({ database: { ...database, counting }, environment, maxCountMilliseconds });
  return {
    ...node,
    statements: () => statements,
    async stop() {
      await node.stop();
      await database.close();
    },
  };
}

/** A key of a new workspace with this limit. */
async function newKey(limit: number): Promise<string> {
  const { database } = store;
  const workspaces = createWorkspaceService({ database });
  const keys = createKeyService({ database, cache: createKeyCache(), clock: systemClock });
  const { id, key } = await database.acrossWorkspaces.transaction(async (tx) => {
    const { id: workspaceId } = await workspaces.create(tx, 'Another');
    const created = await keys.create(tx, { workspaceId, name: 'test', abilities: 'all' });
    return { id: workspaceId, key: created.key };
  });
  await workspaces.changePlan(id, {}, { requests_per_minute: limit });
  return key;
}

const remaining = ({ headers }: Answer) => Number(headers.get('ratelimit-remaining'));
const reset = ({ headers }: Answer) => Number(headers.get('ratelimit-reset'));
const sorted = (numbers: number[]) => numbers.toSorted((a, b) => a - b);
const statuses = (answers: Answer[]) => {
  const of = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
  return { admitted: of(200), wrong: of(401), refused: of(429) };
};

describe.each(['PostgreSQL', 'Redis'])('two nodes with %s', (name) => {
  let nodes: CountingNode[];
  beforeAll(async () => {
    const shared = name === 'Redis' ? { REDIS_URL: server.url } : {};
    const environment = { ...shared, SVC_RATE_LIMIT_PER_MINUTE: '10' };
    nodes = await Promise.all([start(environment), start(environment)]);
  });
  afterAll(async () => {
    for (const node of nodes) await node.stop();
  });
  beforeEach(async () => {
    // Wrong keys of another test would count against this address for a minute.
    await store.database.acrossWorkspaces.execute('delete from request_counts');
    await server.command('FLUSHALL');
    await until('both count together', countTogether);
  });

  /** One request to each node, one after the other. */
  async function inTurn(key: string): Promise<Answer[]> {
    const answers: Answer[] = [];
    for (const node of nodes) answers.push(await node.call(bots, { key }));
    return answers;
  }

  const inParallel = (times: number, key: () => string) =>
    Promise.all(nodes.flatMap((node) => upTo(times).map(() => node.call(bots, { key: key() }))));

  async function countTogether(): Promise<boolean> {
    return (await inTurn(await newKey(10))).map(remaining).join() === '9,8';
  }

  async function countings(): Promise<number> {
    if (name === 'PostgreSQL') return nodes.reduce((sum, node) => sum + node.statements(), 0);
    const text = String(await server.command('INFO', 'commandstats'));
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(text)?.[1]);
  }

  it('admit as many requests as one would, with the same headers', async () => {
    const key = await newKey(30);
    expect((await inTurn(key)).map(remaining)).toEqual([29, 28]);
    const answers = await inParallel(25, () => key);
    expect(statuses(answers)).toEqual({ admitted: 28, wrong: 0, refused: 22 });
    const left = answers.filter(({ status }) => status === 200).map(remaining);
    expect(sorted(left)).toEqual(upTo(28).map((number) => number - 1));
    const [one, other] = (await inTurn(key)).map(reset) as [number, number];
    // Each of the two refusals takes a second.
    expect(one - other).toBeGreaterThanOrEqual(0);
  });

  it('refuse a flood without counting it', async () => {
    const key = await newKey(4);
    await inTurn(key);
    await inTurn(key);
    expect(statuses(await inTurn(key))).toMatchObject({ refused: 2 });
    const before = await countings();
    expect(before).toBeGreaterThan(0);
    expect(statuses(await inParallel(50, () => key))).toMatchObject({ refused: 100 });
    expect(await countings()).toBe(before);
  });

  it('limit callers that guess keys together, but not those with keys that are new to a node', async () => {
    // Each is unknown to both nodes: it counts as wrong until it is found, and is then taken back.
    for (const key of await Promise.all(upTo(8).map(() => newKey(10)))) {
      expect(statuses(await inTurn(key))).toMatchObject({ admitted: 2 });
    }
    const answers = await inParallel(10, () => makeKey('svc_sk_'));
    expect(statuses(answers)).toEqual({ admitted: 0, wrong: 10, refused: 10 });
    expect(statuses(await inTurn(makeKey('svc_sk_')))).toMatchObject({ refused: 2 });
    const before = await countings();
    expect(statuses(await inParallel(50, () => makeKey('svc_sk_')))).toMatchObject({ refused: 100 });
    // Looked at again once a second, since requests can be taken back.
    expect((await countings()) - before).toBeLessThan(20);
  });
});

it('a node whose counts are locked counts alone until they are not', async () => {
  const node = await start({});
  const key = await newKey(1_000);
  const left = async () => remaining(await node.call(bots, { key }));
  expect([await left(), await left()]).toEqual([999, 998]);
  const logged = () => node.logged.filter((line) => line.includes('counted in PostgreSQL')).length;
  await store.database.acrossWorkspaces.transaction(async (tx) => {
    await tx.execute('lock table request_counts');
    expect([await left(), await left()]).toEqual([999, 998]);
    expect(logged()).toBe(1);
  });
  const afterAnotherRequest = async () => {
    await left();
    return logged();
  };
  await eventually(afterAnotherRequest).toBe(2);
  await node.stop();
});

describe('while Redis is away', () => {
  let nodes: TestNode[];
  beforeAll(async () => {
    nodes = await Promise.all([start({ REDIS_URL: server.url }), start({ REDIS_URL: server.url })]);
  });
  afterAll(async () => {
    for (const node of nodes) await node.stop();
  });

  const both = async (key: string) => {
    const answers: Answer[] = [];
    for (const node of nodes) answers.push(await node.call(bots, { key }));
    return answers.map(({ status, headers }) => `${status} ${headers.get('ratelimit-remaining')}`);
  };
  const logged = (node: TestNode, text: string) => node.logged.filter((line) => line.includes(text)).length;

  it.each(['killed', 'paused'])('because it was %s, each node counts alone until it is back', async (how) => {
    await eventually(async () => both(await newKey(10))).toEqual(['200 9', '200 8']);
    for (const { logged: lines } of nodes) lines.length = 0;
    const key = await newKey(10);
    const used = await newKey(1);
    expect((await both(used))[1]).toBe('429 0');
    if (how === 'killed') await server.kill();
    else server.pause();
    expect(await both(key)).toEqual(['200 9', '200 9']);
    expect(await both(key)).toEqual(['200 8', '200 8']);
    // Refused from memory, which says nothing about Redis.
    expect((await both(used))[1]).toBe('429 0');
    expect(await both(key)).toEqual(['200 7', '200 7']);
    for (const node of nodes) expect(logged(node, 'each process counts its own')).toBe(1);
    if (how === 'killed') await server.restart();
    else server.resume();
    await eventually(async () => both(await newKey(10))).toEqual(['200 9', '200 8']);
    for (const node of nodes) {
      expect(logged(node, 'counted in Redis again')).toBe(1);
      expect(logged(node, 'each process counts its own')).toBe(1);
    }
  });
});
