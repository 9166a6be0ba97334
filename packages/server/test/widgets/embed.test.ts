import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { createBot } from './ask-page.ts';
import { createWidgetKey } from './use-widget.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp({ environment: { SVC_PUBLIC_URL: 'https://agents.example.com/a&b/' } });
});
afterAll(() => service.stop());

const embed = (botId: string, keyId?: string) =>
  service.call(`GET /api/v1/widgets/embed-code?bot_id=${botId}${keyId ? `&api_key_id=${keyId}` : ''}`);

it('is a script element with the newest active key', async () => {
  const botId = await createBot(service.call);
  await service.call(`POST /api/v1/widgets/test-key?bot_id=${botId}`);
  const none = await embed(botId);
  expect(none).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  expect(none.body.message).toContain('POST /api/v1/widgets/keys');
  const first = await createWidgetKey(service, botId);
  const second = await createWidgetKey(service, botId);
  const revoked = await createWidgetKey(service, botId);
  await service.call(`DELETE /api/v1/widgets/keys/${revoked.id}`);
  expect(await embed(botId)).toMatchObject({
    status: 200,
    body: {
      api_key: second.api_key,
      embed_code: `<script src="https://agents.example.com/a&amp;b/widget.js" data-key="${second.api_key}" async></script>`,
    },
  });
  expect((await embed(botId, first.id)).body.api_key).toBe(first.api_key);
  const refused = await embed(botId, revoked.id);
  expect(refused).toMatchObject({ status: 400, body: { details: [{ path: 'api_key_id' }] } });
});

it('is not found for an unknown key, or one of another bot or workspace', async () => {
  const botId = await createBot(service.call);
  const otherKey = await createWidgetKey(service, await createBot(service.call));
  expect((await embed(botId, randomUUID())).status).toBe(404);
  expect((await embed(botId, otherKey.id)).status).toBe(404);
  expect((await embed(randomUUID())).status).toBe(404);
});
