import { abilities } from '@svc/contract/abilities';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { createKeyCache } from '../../src/keys/key-cache.ts';
import { createKeyService } from '../../src/keys/keys.service.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type CallOptions, startTestApp, type TestApp } from '../support/test-app.ts';

let now = new Date();
let service: TestApp;
beforeAll(async () => {
  service = await startTestApp({ clock: { now: () => now } });
});
afterAll(() => service.stop());

const status = async (key: string) => (await service.call('GET /api/v1/bots', { key })).status;

async function idOf(key: string): Promise<string> {
  const { rows } = await service.database.acrossWorkspaces.execute<{ id: string }>(
    sql`select id from account_keys where hint = ${key.slice(-4)}`,
  );
  return rows[0]?.id ?? '';
}

it('is stored only as a hash', async () => {
  const { rows } = await service.database.acrossWorkspaces.execute(
    sql`select account_keys::text as row from account_keys`,
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain(service.key);
});

it('gives access to its own workspace only', async () => {
  const { body } = await service.call('POST /api/v1/bots', { body: { name: 'mine', system_prompt: 'x' } });
  const other = await service.makeWorkspace();
  const list = await service.call('GET /api/v1/bots', { key: other.key });
  expect(list.body).toEqual([]);
  expect((await service.call(`GET /api/v1/bots/${body.id}`, { key: other.key })).status).toBe(404);
});

it('stops working when it expires, even if it was just used', async () => {
  const key = await service.makeKey({ expiresAt: new Date(now.getTime() + 60_000) });
  expect(await status(key)).toBe(200);
  const before = now;
  now = new Date(now.getTime() + 60_000);
  expect(await status(key)).toBe(401);
  now = before;
});

it('stops working immediately when another process revokes it', async () => {
  const key = await service.makeKey();
  expect(await status(key)).toBe(200);
  expect(await status(key)).toBe(200);
  const elsewhere = createKeyService({
    database: service.database,
    cache: createKeyCache(),
    clock: systemClock,
  });
  await elsewhere.revoke(await idOf(key));
  await expect.poll(() => status(key), { interval: 5, timeout: 8_000 }).toBe(401);
});

it('from the configuration is created at the first start, and stays revoked at later ones', async () => {
  const keys = createKeyService({ database: service.database, cache: createKeyCache(), clock: systemClock });
  const { workspaceId } = await keys.authenticate(service.key);
  const key = `svc_sk_${'B'.repeat(36)}boot`;
  expect(await keys.ensureBootstrapKey(workspaceId, key)).toBe(true);
  expect(await keys.ensureBootstrapKey(workspaceId, key)).toBe(true);
  expect(await status(key)).toBe(200);
  await keys.revoke(await idOf(key));
  expect(await keys.ensureBootstrapKey(workspaceId, key)).toBe(false);
  await expect.poll(() => status(key)).toBe(401);
});

it('is not accepted from the cache while revocations cannot be received', async () => {
  const key = await service.makeKey();
  expect(await status(key)).toBe(200);
  const { rows } = await service.database.acrossWorkspaces.execute<{ ended: boolean }>(
    sql`select pg_terminate_backend(pid) as ended from pg_stat_activity
        where application_name = 'svc listener' and datname = current_database()`,
  );
  expect(rows).toContainEqual({ ended: true });
  // Revoked without a notification, so only a node that reads the database can know.
  await service.database.acrossWorkspaces.execute(
    sql`update account_keys set revoked_at = now() where hint = ${key.slice(-4)}`,
  );
  await expect.poll(() => status(key), { interval: 20, timeout: 8_000 }).toBe(401);
});

describe('over the API', () => {
  const create = (body: object, options: CallOptions = {}) =>
    service.call('POST /api/v1/keys', { body, ...options });
  const inAnHour = () => new Date(now.getTime() + 3_600_000);

  it('is created as with the command, shown once, and works immediately', async () => {
    const expires = inAnHour().toISOString();
    const wanted = { name: 'ci', abilities: ['bots:read', 'chat:write'], expires_at: expires };
    const { status: answered, body } = await create(wanted);
    expect(answered).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      workspace_id: expect.any(String),
      key: expect.stringMatching(/^svc_sk_/),
      ...wanted,
    });
    expect(await status(body.key)).toBe(200);
    expect((await service.call('GET /api/v1/tools', { key: body.key })).status).toBe(403);
    const list = await service.call('GET /api/v1/keys');
    const { key, ...shown } = body;
    const listed = list.body.find(({ id }: { id: string }) => id === body.id);
    expect(listed).toEqual({
      ...shown,
      hint: key.slice(-4),
      created_by: await idOf(service.key),
      created_at: expect.any(String),
      revoked_at: null,
      last_used_at: listed.last_used_at,
    });
    expect(JSON.stringify(list.body)).not.toContain(key);
    expect(list.body[0]).toMatchObject({ abilities: ['all'], created_by: null });
  });

  it('shows when it was last used, in a list', async () => {
    const { body } = await create({ name: 'seldom', abilities: ['bots:read'] });
    const lastUse = async () => {
      const list = (await service.call('GET /api/v1/keys')).body as { id: string; last_used_at: string }[];
      return list.find(({ id }) => id === body.id)?.last_used_at;
    };
    expect(await lastUse()).toBeNull();
    const keys = createKeyService({
      database: service.database,
      cache: createKeyCache(),
      clock: { now: () => now },
    });
    await keys.authenticate(body.key);
    await keys.saveUses();
    expect(await lastUse()).toBe(now.toISOString());
  });

  it('lists the keys of its own workspace only', async () => {
    const other = await service.makeWorkspace();
    const list = await service.call('GET /api/v1/keys', { key: other.key });
    expect(list.body.map(({ name }: { name: string }) => name)).toEqual(['test']);
  });

  it('cannot grant what it does not have, and says what that is', async () => {
    const key = await service.makeKey({ abilities: ['workspace:write', 'bots:read'] });
    const refused = await create(
      { name: 'x', abilities: ['bots:read', 'bots:write', 'tools:read'] },
      { key },
    );
    expect(refused).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(refused.body.details).toEqual([
      { path: 'abilities', ability: 'bots:write' },
      { path: 'abilities', ability: 'tools:read' },
    ]);
    expect(await create({ name: 'x', abilities: ['bots:read'] }, { key })).toMatchObject({ status: 201 });
  });

  it.each([['all'], [['all']], [['bots:read', 'all']]])(
    'grants %j only if it has all itself',
    async (wanted) => {
      // Every ability of today is less than "all".
      const key = await service.makeKey({ abilities: [...abilities] });
      expect(await create({ name: 'x', abilities: wanted }, { key })).toMatchObject({
        status: 403,
        body: { details: [{ path: 'abilities', ability: 'all' }] },
      });
      expect(await create({ name: 'x', abilities: wanted })).toMatchObject({
        status: 201,
        body: { abilities: ['all'] },
      });
    },
  );

  it('with an expiry cannot create a key that outlives it', async () => {
    const expiresAt = inAnHour();
    const key = await service.makeKey({ expiresAt });
    const later = new Date(expiresAt.getTime() + 1).toISOString();
    for (const expires of [undefined, null, later]) {
      const refused = await create({ name: 'x', abilities: 'all', expires_at: expires }, { key });
      expect(refused).toMatchObject({ status: 403, body: { details: [{ path: 'expires_at' }] } });
    }
    const body = { name: 'x', abilities: 'all', expires_at: expiresAt.toISOString() };
    expect(await create(body, { key })).toMatchObject({ status: 201 });
  });

  it.each([
    [{ abilities: 'all' }, 'name'],
    [{ name: 'x' }, 'abilities'],
    [{ name: 'x', abilities: [] }, 'abilities'],
    [{ name: 'x', abilities: ['everything'] }, 'abilities.0'],
    [{ name: 'x', abilities: 'all', expires_at: 'tomorrow' }, 'expires_at'],
    [{ name: 'x', abilities: 'all', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    [{ name: 'x', abilities: 'all', expires_at: '2099-12-31T23:59:60Z' }, 'expires_at'],
    [{ name: 'x', abilities: 'all', expires_at: '9999-12-31T23:59:59-23:59' }, 'expires_at'],
  ])('refuses %j', async (body, path) => {
    const refused = await create(body);
    expect(refused).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect(refused.body.details.map((fault: { path: string }) => fault.path)).toContain(path);
  });

  it('is returned again for a repeated request, is stored encrypted, and is not returned to a key with fewer abilities', async () => {
    const options = { headers: { 'idempotency-key': 'a new key' } };
    const first = await create({ name: 'again', abilities: 'all' }, options);
    expect(await create({ name: 'again', abilities: 'all' }, options)).toMatchObject({
      status: 201,
      body: first.body,
    });
    const { rows } = await service.database.acrossWorkspaces.execute(
      sql`select encode(answer, 'escape') as answer from idempotency_records where key = 'a new key'`,
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(first.body.key);
    const key = await service.makeKey({ abilities: ['workspace:write'] });
    expect(await create({ name: 'again', abilities: 'all' }, { ...options, key })).toMatchObject({
      status: 403,
    });
  });

  it('is revoked immediately, even with that key itself, and repeating it changes nothing', async () => {
    const { body: made } = await create({ name: 'x', abilities: ['workspace:write'] });
    const revoke = (key: string) => service.call(`DELETE /api/v1/keys/${made.id}`, { key });
    expect(await revoke(made.key)).toMatchObject({ status: 200, body: { message: expect.any(String) } });
    expect(await revoke(made.key)).toMatchObject({ status: 401 });
    const revokedAt = async () => {
      const { body } = await service.call('GET /api/v1/keys');
      return body.find(({ id }: { id: string }) => id === made.id).revoked_at;
    };
    const before = await revokedAt();
    expect(before).toEqual(expect.any(String));
    expect(await revoke(service.key)).toMatchObject({ status: 200 });
    expect(await revokedAt()).toBe(before);
  });

  it('ends its open streams when it is revoked', async () => {
    const bot = await service.call('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' } });
    const message = { bot_id: bot.body.id, message: 'Hello', external_user_id: 'u' };
    const { body: events } = await service.call('POST /api/v1/chat/send-stream', { body: message });
    const conversation = /"conversation_id":"([^"]+)"/.exec(events)?.[1];
    const { body: made } = await create({ name: 'x', abilities: ['conversations:read'] });
    const stream = await fetch(`${service.url}/api/v1/chat/stream?conversation_id=${conversation}`, {
      headers: { authorization: `Bearer ${made.key}` },
    });
    expect(stream.status).toBe(200);
    const ended = stream.text().then(
      () => 'ended',
      () => 'ended',
    );
    await service.call(`DELETE /api/v1/keys/${made.id}`);
    expect(await ended).toBe('ended');
  });
});

it('with every ability is stored as such, so that later abilities are included', async () => {
  const { rows } = await service.database.acrossWorkspaces.execute(
    sql`select abilities from account_keys where hint = ${service.key.slice(-4)}`,
  );
  expect(rows).toEqual([{ abilities: ['all'] }]);
});
