import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { createBot } from './ask-page.ts';
import { createWidgetKey } from './use-widget.ts';

let service: TestApp;
let botId: string;
beforeAll(async () => {
  service = await startTestApp();
  botId = await createBot(service.call);
});
afterAll(() => service.stop());

const list = async (id = botId) => (await service.call(`GET /api/v1/widgets/keys?bot_id=${id}`)).body;
const create = (fields: Record<string, unknown>) =>
  service.call('POST /api/v1/widgets/keys', {
    body: { bot_id: botId, name: 'Shop', allowed_domains: ['shop.example.com'], ...fields },
  });

describe('widget keys', () => {
  it('are returned in full, with defaults, by create and list', async () => {
    const own = await createBot(service.call);
    const { status, body } = await create({ bot_id: own });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      bot_id: own,
      api_key: expect.stringMatching(/^svc_[A-Za-z0-9]{43}$/),
      name: 'Shop',
      allowed_domains: ['shop.example.com'],
      rate_limit_per_hour: 1000,
      visitor_messages_per_hour: 60,
      visitor_usd_per_day: '1',
      verifies_identity: false,
      is_active: true,
      created_at: expect.any(String),
      expires_at: null,
      last_used_at: null,
      last_used_host: null,
    });
    const second = await createWidgetKey(service, own, { visitor_usd_per_day: null });
    expect(await list(own)).toEqual([
      body,
      expect.objectContaining({ id: second.id, visitor_usd_per_day: null }),
    ]);
  });

  it('keep the settings they are given, with tidy domains and amounts', async () => {
    const { body } = await create({
      allowed_domains: ['SHOP.example.com', 'shop.example.com', 'bücher.example'],
      rate_limit_per_hour: 5,
      visitor_messages_per_hour: 7,
      visitor_usd_per_day: '00.500',
    });
    expect(body).toMatchObject({
      allowed_domains: ['shop.example.com', 'xn--bcher-kva.example'],
      rate_limit_per_hour: 5,
      visitor_messages_per_hour: 7,
      visitor_usd_per_day: '0.5',
    });
  });

  it.each([
    [{ allowed_domains: ['ok.example', 'https://shop.example.com/cart'] }, 'allowed_domains.1'],
    [{ allowed_domains: ['*'] }, 'allowed_domains.0'],
    [{ name: '' }, 'name'],
    [{ rate_limit_per_hour: 0 }, 'rate_limit_per_hour'],
    [{ rate_limit_per_hour: 1.5 }, 'rate_limit_per_hour'],
    [{ visitor_usd_per_day: '-1' }, 'visitor_usd_per_day'],
    [{ visitor_usd_per_day: '0.0000000001' }, 'visitor_usd_per_day'],
  ])('refuse %j', async (fields, path) => {
    const answer = await create(fields);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect(answer.body.details[0].path).toContain(path);
  });

  it('need a bot of the workspace', async () => {
    const other = await service.makeWorkspace();
    for (const bot_id of [randomUUID()]) expect((await create({ bot_id })).status).toBe(404);
    const body = { bot_id: botId, name: 'Shop', allowed_domains: [] };
    expect((await service.call('POST /api/v1/widgets/keys', { key: other.key, body })).status).toBe(404);
  });

  it('change in the given fields only', async () => {
    const key = await createWidgetKey(service, botId);
    const path = `PATCH /api/v1/widgets/keys/${key.id}`;
    const changed = await service.call(path, { body: { name: 'New', allowed_domains: ['a.example'] } });
    expect(changed).toMatchObject({
      status: 200,
      body: { ...key, name: 'New', allowed_domains: ['a.example'] },
    });
    expect((await service.call(path, { body: {} })).body).toEqual(changed.body);
    // What was read can be sent back.
    expect((await service.call(path, { body: changed.body })).body).toEqual(changed.body);
    expect((await service.call(path, { body: { allowed_domains: ['*.com'] } })).status).toBe(400);
  });

  it('stay in the list when they are revoked, and a repeat is harmless', async () => {
    const key = await createWidgetKey(service, botId);
    for (const _ of [1, 2]) {
      const answer = await service.call(`DELETE /api/v1/widgets/keys/${key.id}`);
      expect(answer).toMatchObject({ status: 200, body: { message: expect.any(String) } });
    }
    const listed = (await list()).find((one: { id: string }) => one.id === key.id);
    expect(listed).toEqual({ ...key, is_active: false });
  });

  it('are created once per Idempotency-Key', async () => {
    const own = await createBot(service.call);
    const headers = { 'idempotency-key': randomUUID() };
    const body = { bot_id: own, name: 'Shop', allowed_domains: [] };
    const answers = await Promise.all(
      [1, 2].map(() => service.call('POST /api/v1/widgets/keys', { body, headers })),
    );
    for (const answer of answers) expect([201, 409]).toContain(answer.status);
    expect(await list(own)).toHaveLength(1);
  });
});

describe('an identity secret', () => {
  it('is shown once, stored encrypted, replaced and removed', async () => {
    const key = await createWidgetKey(service, botId);
    const path = `/api/v1/widgets/keys/${key.id}/identity-secret`;
    const first = await service.call(`POST ${path}`);
    expect(first).toMatchObject({
      status: 201,
      body: { identity_secret: expect.stringMatching(/^svc_is_[A-Za-z0-9]{43}$/) },
    });
    const shown = async () => (await list()).find((one: { id: string }) => one.id === key.id);
    expect(await shown()).toEqual({ ...key, verifies_identity: true });
    const { rows } = await service.database.acrossWorkspaces.execute<{ text: string }>(
      sql`select encode(identity_secret, 'escape') as text from widget_keys where id = ${key.id}`,
    );
    expect(rows[0]?.text).toBeTruthy();
    expect(rows[0]?.text).not.toContain(first.body.identity_secret);
    expect((await service.call(`POST ${path}`)).body).not.toEqual(first.body);
    for (const _ of [1, 2]) expect((await service.call(`DELETE ${path}`)).status).toBe(200);
    expect(await shown()).toEqual({ ...key, verifies_identity: false });
    expect(service.logged.join('\n')).not.toContain(first.body.identity_secret);
  });
});
