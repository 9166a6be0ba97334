import { fastify } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../src/clock.ts';
import { createAuthenticate } from '../src/http/access.ts';
import { createKeyCache } from '../src/keys/key-cache.ts';
import { createKeyService } from '../src/keys/service.ts';
import { createMemoryCounter } from '../src/limits/request-counter.ts';
import { createRequestLimits } from '../src/limits/request-limits.ts';
import { makeKey } from '../src/secrets/bearer-key.ts';
import { createTestDatabase, type TestDatabase } from './support/test-database.ts';

let store: TestDatabase;
beforeAll(async () => {
  store = await createTestDatabase();
});
afterAll(() => store.drop());

it('wrong keys that come all at once are not all looked up', async () => {
  let lookups = 0;
  const database = new Proxy(store.database, {
    get(target, name, receiver) {
      if (name === 'query') lookups += 1;
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  const keys = createKeyService({ database, cache: createKeyCache(), clock: systemClock });
  const limits = createRequestLimits({ counter: createMemoryCounter(), perMinute: 10 });
  const authenticate = createAuthenticate({ keys, limits });
  const app = fastify();
  app.decorateRequest('principal', null);
  app.addHook('onRequest', authenticate);
  app.get('/', { config: { access: { scheme: 'account_key', ability: 'bots:read' } } }, () => 'never');
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  await Promise.all(
    Array.from({ length: 100 }, () =>
      fetch(url, { headers: { authorization: `Bearer ${makeKey('svc_sk_')}` } }).then((answer) =>
        answer.text(),
      ),
    ),
  );
  expect(lookups).toBeGreaterThan(0);
  expect(lookups).toBeLessThanOrEqual(10);
  await app.close();
});
