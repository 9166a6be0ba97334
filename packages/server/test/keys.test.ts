import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../src/clock.ts';
import { sql } from '../src/database/drizzle.ts';
import { createKeyCache } from '../src/keys/key-cache.ts';
import { createKeyService } from '../src/keys/service.ts';
import { startTestApp, type TestApp } from './support/test-app.ts';

let now = new Date();
let service: TestApp;
beforeAll(async () => {
  service = await startTestApp({ clock: { now: () => now } });
});
afterAll(() => service.stop());

const status = async (key: string) => (await service.call('GET /api/v1/bots', { key })).status;

async function idOf(key: string): Promise<string> {
  const { rows } = await service.database.query.execute<{ id: string }>(
    sql`select id from account_keys where hint = ${key.slice(-4)}`,
  );
  return rows[0]?.id ?? '';
}

it('is stored only as a hash', async () => {
  const { rows } = await service.database.query.execute(
    sql`select account_keys::text as row from account_keys`,
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain(service.key);
});

it('opens only its own workspace', async () => {
  const { body } = await service.call('POST /api/v1/bots', { body: { name: 'mine', system_prompt: 'x' } });
  const other = await service.makeWorkspace();
  const list = await service.call('GET /api/v1/bots', { key: other.key });
  expect(list.body).toEqual([]);
  expect((await service.call(`GET /api/v1/bots/${body.id}`, { key: other.key })).status).toBe(404);
});

it('stops working when it expires, also when it was just used', async () => {
  const key = await service.makeKey({ expiresAt: new Date(now.getTime() + 60_000) });
  expect(await status(key)).toBe(200);
  const before = now;
  now = new Date(now.getTime() + 60_000);
  expect(await status(key)).toBe(401);
  now = before;
});

it('stops working at once when another process revokes it', async () => {
  const key = await service.makeKey();
  expect(await status(key)).toBe(200);
  expect(await status(key)).toBe(200);
  const elsewhere = createKeyService({
    database: service.database,
    cache: createKeyCache(),
    clock: systemClock,
  });
  await elsewhere.revoke(await idOf(key));
  await expect.poll(() => status(key), { interval: 5, timeout: 2_000 }).toBe(401);
});

it('is not believed from memory while revocations cannot be heard', async () => {
  const key = await service.makeKey();
  expect(await status(key)).toBe(200);
  const { rows } = await service.database.query.execute<{ ended: boolean }>(
    sql`select pg_terminate_backend(pid) as ended from pg_stat_activity
        where application_name = 'svc listener' and datname = current_database()`,
  );
  expect(rows).toContainEqual({ ended: true });
  // Revoked without a word to anybody: only a node that asks the database can know.
  await service.database.query.execute(
    sql`update account_keys set revoked_at = now() where hint = ${key.slice(-4)}`,
  );
  await expect.poll(() => status(key), { interval: 20, timeout: 5_000 }).toBe(401);
});

it('with every ability is stored as such, so that later abilities are included', async () => {
  const { rows } = await service.database.query.execute(
    sql`select abilities from account_keys where hint = ${service.key.slice(-4)}`,
  );
  expect(rows).toEqual([{ abilities: ['all'] }]);
});
