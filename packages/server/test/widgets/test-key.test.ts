import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { createBot } from './ask-page.ts';

let service: TestApp;
let now = new Date();
beforeAll(async () => {
  service = await startTestApp({ clock: { now: () => now } });
});
afterAll(() => service.stop());

const request = (botId: string) => service.call(`POST /api/v1/widgets/test-key?bot_id=${botId}`);
const hour = 60 * 60 * 1000;

it('is the same for every request, even for simultaneous ones', async () => {
  const botId = await createBot(service.call);
  const answers = await Promise.all(Array.from({ length: 6 }, () => request(botId)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ body }) => `${body.id} ${body.api_key}`)).size).toBe(1);
  expect(answers[0]?.body).toMatchObject({ allowed_domains: [], is_active: true, bot_id: botId });
  expect((await service.call(`GET /api/v1/widgets/keys?bot_id=${botId}`)).body).toEqual([]);
  const another = await request(await createBot(service.call));
  expect(another.body.api_key).not.toBe(answers[0]?.body.api_key);
});

it('is valid for 24 hours after the last request', async () => {
  const botId = await createBot(service.call);
  const first = (await request(botId)).body;
  expect(Date.parse(first.expires_at) - now.getTime()).toBe(24 * hour);
  now = new Date(now.getTime() + 23 * hour);
  const second = (await request(botId)).body;
  expect(second.api_key).toBe(first.api_key);
  expect(Date.parse(second.expires_at) - now.getTime()).toBe(24 * hour);
  now = new Date(now.getTime() + 25 * hour);
  expect((await request(botId)).body).toMatchObject({ api_key: first.api_key, is_active: true });
});

it('is replaced once it is revoked, and never gets domains', async () => {
  const botId = await createBot(service.call);
  const first = (await request(botId)).body;
  const path = `/api/v1/widgets/keys/${first.id}`;
  const refused = await service.call(`PATCH ${path}`, { body: { allowed_domains: ['shop.example.com'] } });
  expect(refused).toMatchObject({ status: 400, body: { details: [{ path: 'allowed_domains' }] } });
  expect((await request(botId)).body.allowed_domains).toEqual([]);
  await service.call(`DELETE ${path}`);
  const second = (await request(botId)).body;
  expect(second.is_active).toBe(true);
  expect(second.api_key).not.toBe(first.api_key);
});

it('needs a bot of the workspace', async () => {
  const botId = await createBot(service.call);
  const { key } = await service.makeWorkspace();
  expect((await service.call(`POST /api/v1/widgets/test-key?bot_id=${botId}`, { key })).status).toBe(404);
});
