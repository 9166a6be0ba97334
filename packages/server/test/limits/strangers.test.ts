import type { IncomingHttpHeaders } from 'node:http';
import { fastify } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAuthenticator } from '../../src/http/authenticator.ts';
import { createKeyCache } from '../../src/keys/key-cache.ts';
import { createKeyService } from '../../src/keys/keys.service.ts';
import { AppError } from '../../src/lib/app-error.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createMemoryCounter } from '../../src/limits/memory-counter.ts';
import { createRequestLimits } from '../../src/limits/request-limits.ts';
import { makeKey } from '../../src/secrets/bearer-key.ts';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import { createWorkspaceService } from '../../src/workspaces/workspaces.service.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

const box = createSecretBox(createKeyRing(Buffer.alloc(32, 1)));

let store: TestDatabase;
beforeAll(async () => {
  store = await createTestDatabase();
});
afterAll(() => store.drop());

const refuse = () => Promise.reject(new AppError('UNAUTHORIZED'));
const none = { authenticate: refuse, hasWorked: () => false };
const others = {
  machineKeys: none,
  endUsers: {
    ...none,
    authenticateVisitor: refuse,
    requireCurrent: refuse,
    requireVouched: () => undefined,
    onRevoked: () => () => undefined,
  },
  widgetDoor: { enter: refuse, onChanged: () => () => undefined },
  members: {
    hasCookie: ({ cookie }: IncomingHttpHeaders) => cookie !== undefined,
    requirePerson: refuse,
    enter: refuse,
    enterAgain: refuse,
    onChanged: () => () => undefined,
  },
  publicUrl: 'http://127.0.0.1:3000',
  corsOrigins: new Set<string>(),
};

/** A server that requires a key and calls `onLookup` before each database query. */
async function start(onLookup: () => void, trustProxy: string[] | false = false) {
  const database = new Proxy(store.database, {
    get(target, name, receiver) {
      if (name === 'acrossWorkspaces') onLookup();
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  const keys = createKeyService({ database, cache: createKeyCache(), clock: systemClock });
  const limits = createRequestLimits({
    counter: createMemoryCounter(),
    perMinute: 10,
    keyedHash: box.keyedHash,
  });
  const app = fastify({ trustProxy });
  app.decorateRequest('principal', null);
  app.addHook('onRequest', createAuthenticator({ ...others, keys, limits }).authenticate);
  const access = { scheme: 'account_key', ability: 'bots:read', endUsers: false, role: 'viewer' } as const;
  app.get('/', { config: { access } }, () => 'let in');
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    ask: async (key: string, forwardedFor?: string) => {
      const answer = await fetch(url, {
        headers: {
          authorization: `Bearer ${key}`,
          ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
        },
      });
      return { status: answer.status, text: await answer.text() };
    },
    /** The answer to a session that does not work. */
    visit: async () => (await fetch(url, { headers: { cookie: 'svc_session=guess' } })).text(),
    stop: () => app.close(),
  };
}

it('sessions that do not work are counted like wrong keys', async () => {
  const { visit, stop } = await start(() => undefined);
  for (let count = 0; count < 10; count += 1) expect(await visit()).not.toContain('within a minute');
  expect(await visit()).toContain('within a minute');
  await stop();
});

it('concurrent wrong keys are not all looked up', async () => {
  let lookups = 0;
  const { ask, stop } = await start(() => {
    lookups += 1;
  });
  await Promise.all(Array.from({ length: 100 }, () => ask(makeKey('svc_sk_'))));
  expect(lookups).toBeGreaterThan(0);
  expect(lookups).toBeLessThanOrEqual(10);
  await stop();
});

it('keys that could not be looked up do not count as wrong', async () => {
  const { database } = store;
  const created = await database.acrossWorkspaces.transaction(async (tx) => {
    const { id: workspaceId } = await createWorkspaceService({ database }).create(tx, 'x');
    const keys = createKeyService({ database, cache: createKeyCache(), clock: systemClock });
    return keys.create(tx, { workspaceId, name: 'x', abilities: 'all' });
  });
  let isAway = true;
  const { ask, stop } = await start(() => {
    if (isAway) throw new Error('The database is away.');
  });
  for (let index = 0; index < 20; index += 1) expect((await ask(created.key)).status).toBe(500);
  isAway = false;
  expect(await ask(created.key)).toEqual({ status: 200, text: 'let in' });
  await stop();
});

it('tells callers apart by X-Forwarded-For only behind a trusted proxy, which adds the last address', async () => {
  const behind = async (trustProxy: string[] | false) => {
    const { ask, stop } = await start(() => undefined, trustProxy);
    const isLimited = async (forwardedFor: string) =>
      (await ask(makeKey('svc_sk_'), forwardedFor)).text.includes('within a minute');
    for (let attempt = 0; attempt < 10; attempt += 1) await isLimited('203.0.113.1');
    const limited = [
      await isLimited('198.51.100.7, 203.0.113.1'),
      await isLimited('203.0.113.1, 198.51.100.7'),
    ];
    await stop();
    return limited;
  };
  expect(await behind(['127.0.0.0/8'])).toEqual([true, false]);
  expect(await behind(['10.0.0.0/8'])).toEqual([true, true]);
  expect(await behind(false)).toEqual([true, true]);
});
