import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.stop());

const pair = (name: string, key = service.key) =>
  service.call('POST /api/v1/machines', { body: { name }, key });

it('shows the key of a machine once, and stores only its hash', async () => {
  const { key } = await service.makeWorkspace();
  const { status, body } = await pair('ada-laptop', key);
  expect({ status, body }).toEqual({
    status: 201,
    body: { id: expect.any(String), name: 'ada-laptop', token: expect.stringMatching(/^svc_mk_\w{43}$/) },
  });
  const listed = await service.call('GET /api/v1/machines', { key });
  expect(listed.body).toEqual([
    {
      id: body.id,
      name: 'ada-laptop',
      status: 'offline',
      platform: null,
      version: null,
      roots: [],
      sandbox: null,
      policy: null,
      confirmation: null,
      runs_commands: null,
      owner: { type: 'key', id: expect.any(String), name: expect.any(String) },
      allowed_members: [],
      allowed_bots: [],
      last_seen_at: null,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    },
  ]);
  const { rows } = await service.database.acrossWorkspaces.execute<{ row: string }>(
    sql`select machines::text as row from machines where id = ${body.id}`,
  );
  expect(rows[0]?.row).not.toContain(body.token);
});

it('lists machines oldest first, revoked ones too, and none of other workspaces', async () => {
  const { key } = await service.makeWorkspace();
  const ids: string[] = [];
  for (const name of ['one', 'two', 'three']) ids.push((await pair(name, key)).body.id);
  expect(await service.call(`DELETE /api/v1/machines/${ids[1]}`, { key })).toMatchObject({
    status: 200,
    body: { message: 'The machine was revoked.' },
  });
  const machines: { id: string; status: string }[] = (await service.call('GET /api/v1/machines', { key }))
    .body;
  expect(machines.map(({ id }) => id)).toEqual(ids);
  expect(machines.map(({ status }) => status)).toEqual(['offline', 'revoked', 'offline']);
});

it('can be revoked repeatedly, but not by another workspace', async () => {
  const { body: machine } = await pair('desk');
  const other = await service.makeWorkspace();
  const path = `/api/v1/machines/${machine.id}`;
  expect((await service.call(`DELETE ${path}`, { key: other.key })).status).toBe(404);
  expect((await service.call('GET /api/machines/whoami', { key: machine.token })).status).toBe(200);
  const revokedAt = async () =>
    (
      await service.database.acrossWorkspaces.execute(
        sql`select revoked_at from machines where id = ${machine.id}`,
      )
    ).rows[0];
  expect((await service.call(`DELETE ${path}`)).status).toBe(200);
  const first = await revokedAt();
  expect((await service.call(`DELETE ${path}`)).status).toBe(200);
  expect(await revokedAt()).toEqual(first);
});

it('pairs once per Idempotency-Key, and returns the same token again', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const { key } = await service.makeWorkspace();
  const body = { name: 'once' };
  const first = await service.call('POST /api/v1/machines', { key, body, headers });
  const again = await service.call('POST /api/v1/machines', { key, body, headers });
  expect(again.body).toEqual(first.body);
  expect((await service.call('GET /api/v1/machines', { key })).body).toHaveLength(1);
});

it.each([
  [{}, 'name'],
  [{ name: '' }, 'name'],
  [{ name: 'x'.repeat(201) }, 'name'],
  [{ name: 'x', root: '/' }, 'root'],
])('refuses %j', async (body, path) => {
  expect(await service.call('POST /api/v1/machines', { body })).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_FAILED', details: [{ path }] },
  });
});
