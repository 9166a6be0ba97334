import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { createAsk, createBot } from './ask-page.ts';
import { createWidgetKey } from './use-widget.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp({ environment: { SVC_PUBLIC_URL: 'https://agents.example.com' } });
});
afterAll(() => service.stop());

const look = 'GET /api/widget/look';

async function makePage(fields: Record<string, unknown> = {}) {
  const botId = await createBot(service.call);
  const key = await createWidgetKey(service, botId, fields);
  return { botId, key, ask: createAsk(service, key.api_key) };
}

describe('a widget key', () => {
  it('works on pages of its domains only, and those may read the answer', async () => {
    const { ask } = await makePage({ allowed_domains: ['shop.example.com', '*.example.org'] });
    for (const origin of [
      'https://shop.example.com',
      'http://shop.example.com:8080',
      'https://a.b.example.org',
    ]) {
      const answer = await ask(look, { origin });
      expect(answer.status, origin).toBe(200);
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
      expect(answer.headers.get('vary')).toContain('Origin');
    }
    const others = ['https://example.org', 'https://evil.test', 'null', 'https://agents.example.com', null];
    for (const origin of others) {
      const answer = await ask(look, { origin });
      expect(answer, String(origin)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('is checked on preflights, too', async () => {
    const { ask } = await makePage();
    const headers = { 'access-control-request-method': 'GET' };
    expect(await ask(`OPTIONS /api/widget/look`, { headers })).toMatchObject({ status: 204 });
    const refused = await ask(`OPTIONS /api/widget/look`, { headers, origin: 'https://evil.test' });
    expect(refused.status).toBe(403);
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
  });

  it("without domains works on the service's own pages only", async () => {
    const { ask } = await makePage({ allowed_domains: [] });
    const own = { 'sec-fetch-site': 'same-origin' };
    expect((await ask(look, { origin: 'https://agents.example.com' })).status).toBe(200);
    expect((await ask(look, { origin: null, headers: own })).status).toBe(200);
    expect((await ask(look, { origin: service.url })).status).toBe(200);
    expect((await ask(look, { origin: null })).status).toBe(403);
    expect((await ask(look)).status).toBe(403);
  });

  it('stops working when it is revoked or its page is removed', async () => {
    const { key, ask } = await makePage();
    expect((await ask(look)).status).toBe(200);
    const path = `/api/v1/widgets/keys/${key.id}`;
    await service.call(`PATCH ${path}`, { body: { allowed_domains: ['other.example.com'] } });
    expect((await ask(look)).status).toBe(403);
    await service.call(`PATCH ${path}`, { body: { allowed_domains: ['shop.example.com'] } });
    expect((await ask(look)).status).toBe(200);
    await service.call(`DELETE ${path}`);
    const revoked = await ask(look);
    expect(revoked).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
    expect(revoked.body.message).toContain('revoked');
  });

  it('stops working when it expires', async () => {
    const botId = await createBot(service.call);
    const { body: key } = await service.call(`POST /api/v1/widgets/test-key?bot_id=${botId}`);
    const ask = createAsk(service, key.api_key);
    expect((await ask(look, { origin: service.url })).status).toBe(200);
    await service.database.acrossWorkspaces.execute(
      sql`update widget_keys set expires_at = now() - interval '1 second' where id = ${key.id}`,
    );
    await service.database.acrossWorkspaces.execute(sql`select pg_notify('svc_widget_changed', ${key.id})`);
    await expect.poll(async () => (await ask(look, { origin: service.url })).status).toBe(401);
  });

  it('is suspended while its bot is inactive, which pages may read', async () => {
    const { botId, ask } = await makePage();
    expect((await ask(look)).status).toBe(200);
    await service.call(`DELETE /api/v1/bots/${botId}`);
    await expect.poll(async () => (await ask(look)).status).toBe(409);
    const answer = await ask(look);
    expect(answer.body.code).toBe('BOT_INACTIVE');
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://shop.example.com');
    await service.call(`PUT /api/v1/bots/${botId}`, { body: { status: 'active' } });
    await expect.poll(async () => (await ask(look)).status).toBe(200);
  });

  it('opens nothing under /api/v1, and account keys open nothing here', async () => {
    const { key } = await makePage();
    expect((await service.call('GET /api/v1/bots', { key: key.api_key })).status).toBe(401);
    const askWithAccountKey = createAsk(service, service.key);
    expect((await askWithAccountKey(look)).status).toBe(401);
    const headers = { origin: 'https://shop.example.com' };
    expect((await service.call(`GET /api/widget/look?key=svc_${'x'.repeat(43)}`, { headers })).status).toBe(
      401,
    );
  });

  it('records which page used it last, at most once a minute', async () => {
    const { key, botId, ask } = await makePage({ allowed_domains: ['*.example.com'] });
    const read = async () => {
      const { body } = await service.call(`GET /api/v1/widgets/keys?bot_id=${botId}`);
      return body.find((one: { id: string }) => one.id === key.id);
    };
    expect(await read()).toMatchObject({ last_used_at: null, last_used_host: null });
    await ask(look, { origin: 'https://shop.example.com:8080' });
    await expect.poll(async () => (await read()).last_used_host).toBe('shop.example.com:8080');
    const first = await read();
    await ask(look, { origin: 'https://www.example.com' });
    expect(await read()).toEqual(first);
  });
});
