import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startTestApp, type TestApp } from '../../support/test-app.ts';
import { createWidget, openPage, type Page, shop } from '../use-widget.ts';
import { createTestExchange } from './test-exchange.ts';

const exchange = createTestExchange();
let service: TestApp;
let page: Page;
let apiKey: string;
let botId: string;

beforeAll(async () => {
  service = await startTestApp({ webVoice: exchange.ports });
});
afterAll(() => service.stop());
beforeEach(async () => {
  exchange.settings.available = true;
  ({ api_key: apiKey, bot_id: botId } = await createWidget(service));
  await service.call('PUT /api/v1/widgets/customization', { body: { bot_id: botId, voice_enabled: true } });
  page = openPage(service, apiKey);
});

const begin = async (token: string, headers = {}) =>
  page.call('POST /api/widget/voice/sessions', { token, body: {}, headers });

function connect(sessionToken: string, origin = shop): WebSocket {
  const query = new URLSearchParams({ key: apiKey, session_token: sessionToken });
  const address = `${service.url.replace('http', 'ws')}/api/widget/voice/connect?${query}`;
  const socket = new WebSocket(address, { origin });
  // Its end is what the tests look at.
  socket.on('error', () => undefined);
  return socket;
}

async function statusOf(socket: WebSocket): Promise<number> {
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
  return response.statusCode;
}

it('begins one call per visitor, and the same one for a repeat', async () => {
  const { token } = await page.issueToken();
  const headers = { 'idempotency-key': 'once' };
  const first = await begin(token, headers);
  expect(first).toMatchObject({ status: 201, body: { max_seconds: 900 } });
  expect((await begin(token, headers)).body).toEqual(first.body);

  const second = await begin(token);
  expect(second.status).toBe(201);
  // A call that nobody connected is replaced.
  expect(exchange.ended.at(-1)).toMatchObject({
    id: first.body.conversation_id,
    end: { cause: 'no_answer' },
  });
  const socket = connect(second.body.session_token);
  await once(socket, 'open');
  await expect.poll(() => exchange.calls.at(-1)?.id).toBe(second.body.conversation_id);
  expect(await begin(token)).toMatchObject({
    status: 429,
    body: { details: [{ limit: 'voice_sessions_per_visitor' }] },
  });
  expect(await statusOf(connect(second.body.session_token))).toBe(404);

  const path = `voice/usage?session_token=${second.body.session_token}`;
  const usage = await service.call(`GET /api/v1/${path}`);
  expect(usage.body).toMatchObject({ bot_id: botId, status: 'ringing', seconds: 0, balance_usd: null });
  const own = await page.call(`GET /api/widget/${path}`, { token });
  expect(Object.keys(own.body)).not.toContain('cost_usd');
  expect(own.body).toMatchObject({ session_token: second.body.session_token, max_seconds: 900 });
  const stranger = (await page.issueToken()).token;
  expect((await page.call(`GET /api/widget/${path}`, { token: stranger })).status).toBe(404);
  const other = await service.makeWorkspace();
  expect((await service.call(`GET /api/v1/${path}`, { key: other.key })).status).toBe(404);
  socket.close();
  await expect
    .poll(() => exchange.calls.at(-1)?.end)
    .toEqual({ cause: 'remote_hangup', detail: 'The connection to the browser was lost.' });
});

it('refuses calls that cannot be held, and pages of other sites', async () => {
  const { token } = await page.issueToken();
  await setCredit('0');
  expect((await begin(token)).body.code).toBe('INSUFFICIENT_BALANCE');
  expect((await service.call(`GET /api/v1/conversations?bot_id=${botId}`)).body).toEqual([]);
  await setCredit(null);
  exchange.settings.available = 'No speech.';
  expect(await begin(token)).toMatchObject({
    status: 503,
    body: { code: 'VOICE_DISABLED' },
  });
  expect((await page.call('GET /api/widget/look')).body.voice).toBe(false);
  exchange.settings.available = true;
  expect((await page.call('GET /api/widget/look')).body.voice).toBe(true);
  const { session_token: sessionToken } = (await begin(token)).body;
  expect(await statusOf(connect(sessionToken, 'https://evil.example.com'))).toBe(403);
  expect(await statusOf(connect(`svc_vs_${'x'.repeat(43)}`))).toBe(404);
  await service.call('PUT /api/v1/widgets/customization', { body: { bot_id: botId, voice_enabled: false } });
  expect((await begin(token)).body.code).toBe('VOICE_DISABLED');
  expect((await page.call('GET /api/widget/look')).body.voice).toBe(false);
});

it.each([
  ['half a sample', Buffer.alloc(13)],
  ['a header alone', Buffer.alloc(12)],
  ['a frame that is too large', Buffer.alloc(5_000)],
  ['words', 'hello'],
])('ends a call whose browser sends %s', async (_what, data) => {
  const { token } = await page.issueToken();
  const { session_token: sessionToken, conversation_id: id } = (await begin(token)).body;
  const socket = connect(sessionToken);
  await once(socket, 'open');
  const find = () => exchange.calls.find((call) => call.id === id);
  await expect.poll(find).toBeDefined();
  socket.send(data);
  await expect.poll(() => find()?.end?.cause).toMatch(/^(failed|remote_hangup)$/);
});

it('ends a call when its key is revoked', async () => {
  const { token } = await page.issueToken();
  const { session_token: sessionToken, conversation_id: id } = (await begin(token)).body;
  await once(connect(sessionToken), 'open');
  const find = () => exchange.calls.find((call) => call.id === id);
  await expect.poll(find).toBeDefined();
  const [key] = (await service.call(`GET /api/v1/widgets/keys?bot_id=${botId}`)).body;
  await service.call(`DELETE /api/v1/widgets/keys/${key.id}`);
  await expect.poll(() => find()?.end).toEqual({ cause: 'local_hangup' });
});

async function setCredit(credit: string | null): Promise<void> {
  await service.database.query.prepared(
    { name: 'test.credit', text: 'update workspaces set credit_usd = $1::numeric' },
    [credit],
  );
}
