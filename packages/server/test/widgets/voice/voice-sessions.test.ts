import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { sql } from '../../../src/database/drizzle.ts';
import { phrasesIn } from '../../../src/voice/talk/phrases.ts';
import { type Page, shop } from '../use-widget.ts';
import { startWebVoice, type WebVoice } from './use-web-voice.ts';

let voice: WebVoice;
let page: Page;
let apiKey: string;
let keyId: string;
let botId: string;

beforeAll(async () => {
  voice = await startWebVoice();
});
afterAll(() => voice.stop());
beforeEach(async () => {
  ({ page, apiKey, keyId, botId } = await voice.makeWidget());
});

const begin = async (token: string, headers = {}) =>
  page.call('POST /api/widget/voice/sessions', { token, body: {}, headers });
const callOf = async (id: string) => (await voice.read(id)).call;
const run = (statement: ReturnType<typeof sql>) => voice.service.database.acrossWorkspaces.execute(statement);

function connect(sessionToken: string, origin = shop): WebSocket {
  const query = new URLSearchParams({ key: apiKey, session_token: sessionToken });
  const address = `${voice.service.url.replace('http', 'ws')}/api/widget/voice/connect?${query}`;
  const socket = new WebSocket(address, { origin });
  // Its end is what the tests look at.
  socket.on('error', () => undefined);
  return socket;
}

async function statusOf(socket: WebSocket): Promise<number> {
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
  return response.statusCode;
}

/** A call that the bot has answered. */
async function open() {
  const { token } = await page.issueToken();
  const { session_token: sessionToken, conversation_id: id } = (await begin(token)).body;
  const socket = connect(sessionToken);
  const closed = once(socket, 'close') as Promise<[number]>;
  await once(socket, 'open');
  await expect.poll(async () => (await callOf(id)).status).toBe('in_progress');
  return { token, sessionToken, id, socket, closed };
}

it('begins one call per visitor, the same one for a repeat, and says what it has used', async () => {
  const { token } = await page.issueToken();
  const headers = { 'idempotency-key': 'once' };
  const first = await begin(token, headers);
  expect(first).toMatchObject({ status: 201, body: { max_seconds: 900 } });
  expect((await begin(token, headers)).body).toEqual(first.body);

  const second = await begin(token);
  expect(second.status).toBe(201);
  // A call that was never connected is replaced.
  expect(await callOf(first.body.conversation_id)).toMatchObject({
    status: 'no_answer',
    end_detail: 'The visitor began another call.',
  });
  const socket = connect(second.body.session_token);
  await once(socket, 'open');
  const id = second.body.conversation_id;
  await expect.poll(async () => (await callOf(id)).status).toBe('in_progress');
  expect(await begin(token)).toMatchObject({
    status: 429,
    body: { details: [{ limit: 'voice_sessions_per_visitor' }] },
  });
  // Each token opens one connection.
  expect(await statusOf(connect(second.body.session_token))).toBe(404);
  expect(await statusOf(connect(first.body.session_token))).toBe(404);

  const path = `voice/usage?session_token=${second.body.session_token}`;
  await expect.poll(async () => voice.elevenLabs.spoken.length).toBeGreaterThan(0);
  const usage = await voice.service.call(`GET /api/v1/${path}`);
  expect(usage.body).toMatchObject({ bot_id: botId, status: 'in_progress', balance_usd: null });
  const own = await page.call(`GET /api/widget/${path}`, { token });
  expect(Object.keys(own.body).toSorted()).toEqual(
    ['bot_id', 'max_seconds', 'seconds', 'session_token', 'started_at', 'status'].toSorted(),
  );
  expect(own.body).toMatchObject({ session_token: second.body.session_token, max_seconds: 900 });
  const stranger = (await page.issueToken()).token;
  expect((await page.call(`GET /api/widget/${path}`, { token: stranger })).status).toBe(404);
  const other = await voice.service.makeWorkspace();
  expect((await voice.service.call(`GET /api/v1/${path}`, { key: other.key })).status).toBe(404);
  const elsewhere = await voice.makeWidget();
  const there = (await elsewhere.page.issueToken()).token;
  expect((await elsewhere.page.call(`GET /api/widget/${path}`, { token: there })).status).toBe(404);

  socket.close();
  const { call } = await voice.over(id);
  expect(call).toMatchObject({ status: 'completed', end_reason: 'caller_hung_up' });
  const used = (await voice.service.call(`GET /api/v1/${path}`)).body;
  expect(used).toMatchObject({ status: 'completed', cost_usd: call.cost_usd });
  expect(Number(used.cost_usd)).toBeGreaterThan(0);
});

it('refuses calls that cannot be held, and pages of other sites', async () => {
  const { token } = await page.issueToken();
  await setCredit('0');
  expect((await begin(token)).body.code).toBe('INSUFFICIENT_BALANCE');
  expect((await voice.service.call(`GET /api/v1/conversations?bot_id=${botId}`)).body).toEqual([]);
  await setCredit(null);
  expect((await page.call('GET /api/widget/look')).body.voice).toBe(true);
  await voice.service.call(`PUT /api/v1/bots/${botId}`, { body: { max_call_seconds: 30 } });
  const { session_token: sessionToken, max_seconds: maxSeconds } = (await begin(token)).body;
  expect(maxSeconds).toBe(30);
  expect(await statusOf(connect(sessionToken, 'https://evil.example.com'))).toBe(403);
  expect(await statusOf(connect(`svc_vs_${'x'.repeat(43)}`))).toBe(404);
  const elsewhere = apiKey;
  ({ apiKey } = await voice.makeWidget());
  expect(await statusOf(connect(sessionToken))).toBe(404);
  apiKey = elsewhere;
  await run(sql`update voice_calls set created_at = created_at - interval '61 seconds'`);
  expect(await statusOf(connect(sessionToken))).toBe(404);
  await voice.service.call('PUT /api/v1/widgets/customization', {
    body: { bot_id: botId, voice_enabled: false },
  });
  expect((await begin(token)).body.code).toBe('VOICE_DISABLED');
  expect((await page.call('GET /api/widget/look')).body.voice).toBe(false);
});

it('refuses calls of a bot without speech, and more than a bot can hold', async () => {
  // Its voice comes from a provider without a key.
  const mute = await voice.makeWidget();
  await run(
    sql`update bots set settings = settings || '{"tts_provider": "cartesia"}' where id = ${mute.botId}`,
  );
  expect((await mute.page.call('GET /api/widget/look')).body.voice).toBe(false);
  const { token: silent } = await mute.page.issueToken();
  const refused = await mute.page.call('POST /api/widget/voice/sessions', { token: silent, body: {} });
  expect(refused).toMatchObject({ status: 503, body: { code: 'VOICE_DISABLED' } });
  expect(JSON.stringify(refused.body)).not.toContain('CARTESIA');

  for (let count = 0; count < 20; count += 1) {
    const { token } = await page.issueToken();
    expect((await begin(token)).status).toBe(201);
  }
  const { token } = await page.issueToken();
  expect(await begin(token)).toMatchObject({
    status: 429,
    body: { details: [{ limit: 'voice_sessions_per_bot', value: 20 }] },
  });
});

it.each([
  ['half a sample', Buffer.alloc(13), 1008],
  ['a header alone', Buffer.alloc(12), 1008],
  ['a frame that is too large', Buffer.alloc(5_000), 1009],
  ['words', 'hello', 1008],
])('ends a call whose browser sends %s', async (_what, data, code) => {
  const { id, socket, closed } = await open();
  socket.send(data);
  expect((await closed)[0]).toBe(code);
  expect((await voice.over(id)).call.end_reason).toMatch(/^(line_failed|caller_hung_up)$/);
});

it('takes one of two connections with the same token', async () => {
  const { token } = await page.issueToken();
  const { session_token: sessionToken, conversation_id: id } = (await begin(token)).body;
  const outcome = (socket: WebSocket) =>
    Promise.race([statusOf(socket), (once(socket, 'close') as Promise<[number]>).then(([code]) => code)]);
  const sockets = [connect(sessionToken), connect(sessionToken)];
  // One of them is refused, before or after it was opened.
  expect(await Promise.race(sockets.map(outcome))).toBeOneOf([404, 1008]);
  await expect.poll(async () => (await callOf(id)).status).toBe('in_progress');
  expect(sockets.filter((socket) => socket.readyState === WebSocket.OPEN)).toHaveLength(1);
  for (const socket of sockets) socket.close();
  expect((await voice.over(id)).call.end_reason).toBe('caller_hung_up');
});

it('ends a call when its key is revoked, and when its page hangs up', async () => {
  const hungUp = await open();
  hungUp.socket.send('hang_up');
  expect((await hungUp.closed)[0]).toBe(1000);
  expect((await voice.over(hungUp.id)).call.end_reason).toBe('caller_hung_up');
  const { id, closed } = await open();
  await voice.service.call(`DELETE /api/v1/widgets/keys/${keyId}`);
  expect((await closed)[0]).toBe(1000);
  // A page that sends no sound would be taken for one that has hung up.
  expect((await voice.over(id)).call.end_reason).toBe('bot_hung_up');
});

it('ends a call with a goodbye when the visitor has cost as much as they may', async () => {
  await voice.service.call(`PATCH /api/v1/widgets/keys/${keyId}`, {
    body: { visitor_usd_per_day: '0.000001' },
  });
  const { token, id, socket } = await open();
  keepLineOpen(socket);
  const { call } = await voice.over(id);
  expect(call).toMatchObject({ status: 'ended_by_limit', end_reason: 'visitor_limit' });
  expect(voice.elevenLabs.spoken.at(-1)?.text).toBe(phrasesIn('en').goodbyeLimit);
  expect(await begin(token)).toMatchObject({
    status: 429,
    body: { details: [{ limit: 'visitor_usd_per_day' }] },
  });
});

it('ends the call of a person who is erased, and leaves nothing of it', async () => {
  const { id, socket, closed } = await open();
  keepLineOpen(socket);
  const { external_user_id: person } = await voice.read(id);
  expect((await voice.service.call(`DELETE /api/v1/end-users/${person}`)).status).toBe(200);
  expect((await closed)[0]).toBe(1000);
  expect((await voice.service.call(`GET /api/v1/conversations/${id}`)).status).toBe(404);
  const left = await run(sql`select from voice_calls where id = ${id}`);
  expect(left.rows).toEqual([]);
});

it('refuses a network that tries one token after another', async () => {
  const statuses: number[] = [];
  while (statuses.at(-1) !== 429 && statuses.length < 1_000) {
    statuses.push(await statusOf(connect(`svc_vs_${'x'.repeat(43)}`)));
  }
  expect(statuses.at(-1)).toBe(429);
  expect(new Set(statuses.slice(0, -1))).toEqual(new Set([404]));
});

/** Sends silence, as a page does whose visitor listens. */
function keepLineOpen(socket: WebSocket): void {
  const sound = setInterval(() => socket.send(Buffer.alloc(12 + 640)), 20);
  socket.once('close', () => clearInterval(sound));
}

async function setCredit(credit: string | null): Promise<void> {
  await run(sql`update workspaces set credit_usd = ${credit}::numeric`);
}

it('ends with the sessions of its visitor, connected or not', async () => {
  const call = await open();
  const other = await open();
  const { visitor_id, token } = await page.issueToken();
  const waiting = (await begin(token)).body.session_token;
  const visitor = (await voice.read(call.id)).external_user_id;
  for (const id of [visitor, visitor_id]) {
    expect((await voice.service.call(`POST /api/v1/end-users/${id}/revoke`)).status).toBe(200);
  }
  expect(await statusOf(connect(waiting))).toBe(401);
  expect((await begin(token)).status).toBe(401);
  await call.closed;
  await expect.poll(async () => (await callOf(call.id)).status).toBe('completed');
  expect((await callOf(other.id)).status).toBe('in_progress');
  other.socket.close();
  await other.closed;
});

it('does not begin while the sessions of its visitor are being revoked', async () => {
  const { visitor_id: visitor, token } = await page.issueToken();
  const waiting = async () => {
    const { rows } = await run(sql`select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`);
    return rows[0]?.['count'];
  };
  let isAnswered = false;
  const { revoked, begun } = await voice.service.database.acrossWorkspaces.transaction(async (tx) => {
    // The revocation is written, and cannot be completed before this ends.
    await tx.execute(sql`lock table audit_entries in share row exclusive mode`);
    const revoking = voice.service.call(`POST /api/v1/end-users/${visitor}/revoke`);
    await expect.poll(waiting).toBe(1);
    const beginning = begin(token).finally(() => {
      isAnswered = true;
    });
    await expect.poll(async () => isAnswered || (await waiting()) === 2).toBe(true);
    return { revoked: revoking, begun: beginning };
  });
  expect((await revoked).status).toBe(200);
  expect(await begun, 'the call survives its visitor').toMatchObject({
    status: 401,
    body: { code: 'UNAUTHORIZED' },
  });
});
