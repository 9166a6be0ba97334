import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type OutsideServer, startOutsideServer } from '../egress/support.ts';
import { makeAgent, trigger } from '../support/agents.ts';
import { chatWith, eventually, scriptedEnvironment } from '../support/chat.ts';
import { type HandPlayedModel, startHandPlayedModel } from '../support/hand-played-model.ts';
import { setLimits } from '../support/limits.ts';
import { openSse, type SseReader } from '../support/sse-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let played: HandPlayedModel;
let outside: OutsideServer;
let service: TestApp;
let botId: string;
const chat = chatWith(() => service);
beforeAll(async () => {
  played = await startHandPlayedModel();
  outside = await startOutsideServer();
  const environment = { ...scriptedEnvironment(played), SVC_EGRESS_ALLOW: '127.0.0.1' };
  service = await startTestApp({ environment });
  botId = await chat.bot();
});
afterAll(async () => {
  await service.stop();
  await outside.close();
  await played.close();
});
afterEach(async () => {
  played.autoplay();
  await setLimits(service, {
    streams: 'default',
    turns: 'default',
    tool_tests: 'default',
    drafts: 'default',
  });
});

const refused = (limit: string, value: number) => ({
  code: 'RATE_LIMITED',
  message: expect.stringMatching(new RegExp(`limit of ${value} .*svc workspaces update --max-`)),
  details: [{ limit, value }],
});

function expectRefusal(reader: SseReader, limit: string, value: number): void {
  expect(reader).toMatchObject({ status: 429, error: refused(limit, value) });
  expect(reader.headers['retry-after']).toMatch(/^[1-9]\d*$/);
}

const count = async (table: string) =>
  Number(
    (await service.database.acrossWorkspaces.raw(`select count(*) from ${table}`)).rows.map(
      Object.values,
    )[0]?.[0],
  );

async function conversation(): Promise<string> {
  played.autoplay((reply) => reply.finish());
  const { conversationId } = await chat.say({ bot_id: botId });
  played.autoplay();
  return conversationId;
}

describe('open streams', () => {
  it('of all kinds are refused above their limit, and accepted again afterwards', async () => {
    const id = await conversation();
    await setLimits(service, { streams: 2 });
    const [first, second] = [await chat.listen(id), await chat.send({ bot_id: botId })];
    const reply = await played.next();
    const before = await count('turns');
    expectRefusal(await chat.listen(id), 'streams', 2);
    expectRefusal(await chat.send({ bot_id: botId }), 'streams', 2);
    expectRefusal(await discover('bots', { description: 'x' }), 'streams', 2);
    // Refused before anything is written.
    expect(await count('turns')).toBe(before);
    const other = await service.makeWorkspace();
    expect((await chat.listen(id, { key: other.key })).status).toBe(404);
    first.close();
    reply.finish();
    await second.ended();
    await letIn(() => chat.send({ bot_id: botId }));
  });
});

describe('turns in progress', () => {
  it('are refused above their limit before anything is written', async () => {
    const agentId = await makeAgent(service);
    const id = await conversation();
    await setLimits(service, { turns: 1 });
    const running = await chat.send({ bot_id: botId });
    const reply = await played.next();
    const before = [await count('conversations'), await count('turns'), await count('runs')];
    expectRefusal(await chat.send({ bot_id: botId }), 'turns', 1);
    const headers = { 'idempotency-key': randomUUID() };
    const message = { bot_id: botId, external_user_id: 'u' };
    expectRefusal(await chat.send(message, { headers }), 'turns', 1);
    const triggered = await trigger(service, agentId);
    expect(triggered).toMatchObject({ status: 429, body: refused('turns', 1) });
    expect(triggered.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect([await count('conversations'), await count('turns'), await count('runs')]).toEqual(before);
    // Requests that start no turn still work.
    (await chat.listen(id)).close();
    reply.finish();
    await running.ended();
    // The same request that was refused.
    await letIn(() => chat.send(message, { headers }));
  });

  it('continue when their caller disconnects, and count until they end', async () => {
    await setLimits(service, { turns: 1 });
    const gone = await chat.send({ bot_id: botId });
    const reply = await played.next();
    const { conversation_id: id } = (await gone.until('turn.started')).data;
    const reader = await chat.listen(id);
    gone.close();
    expectRefusal(await chat.send({ bot_id: botId }), 'turns', 1);
    reply.finish();
    await reader.until('turn.completed');
    reader.close();
    await letIn(() => chat.send({ bot_id: botId }));
  });
});

describe('tests of tools', () => {
  it('are refused above their limit, even if the callers of those in progress have disconnected', async () => {
    const waiting: (() => void)[] = [];
    outside.answerWith((_request, response) => void waiting.push(() => response.end('{}')));
    const configuration = { method: 'GET', url: `${outside.url}/x` };
    const body = { tool_type: 'http_request', name: 'Slow', description: 'x', configuration };
    const { id } = (await service.call('POST /api/v1/tools', { body })).body;
    const path = `/api/v1/tools/${id}/test`;
    await setLimits(service, { tool_tests: 1 });
    const caller = new AbortController();
    const abandoned = fetch(service.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
      body: '{}',
      signal: caller.signal,
    }).catch(() => 'gone');
    await eventually(() => waiting.length).toBe(1);
    caller.abort();
    expect(await abandoned).toBe('gone');
    expect(await service.call(`POST ${path}`, { body: {} })).toMatchObject({
      status: 429,
      body: refused('tool_tests', 1),
    });
    outside.answerWith((_request, response) => response.end('{}'));
    waiting[0]?.();
    await eventually(async () => (await service.call(`POST ${path}`, { body: {} })).status).toBe(200);
  });
});

describe('drafts', () => {
  it('of both kinds are refused above their common limit, and end when their caller disconnects', async () => {
    await setLimits(service, { drafts: 1 });
    const open = await discover('bots', { description: 'x' });
    const reply = await played.next();
    expectRefusal(await discover('bots', { description: 'x' }), 'drafts', 1);
    const json = { headers: { accept: 'application/json' }, body: { documentation: 'GET /a' } };
    expect(await service.call('POST /api/v1/tools/discover', json)).toMatchObject({
      status: 429,
      body: refused('drafts', 1),
    });
    open.close();
    await reply.abandoned;
    await letIn(() => discover('bots', { description: 'x' }));
  });
});

/** Polls, because a place is released a moment after the end is reported. */
async function letIn(open: () => Promise<SseReader>): Promise<void> {
  played.autoplay((reply) => reply.finish());
  await eventually(async () => {
    const reader = await open();
    if (reader.status === 200) await reader.ended();
    return reader.status;
  }).toBe(200);
}

function discover(kind: 'bots' | 'tools', body: object): Promise<SseReader> {
  return openSse(`${service.url}/api/v1/${kind}/discover`, { method: 'POST', key: service.key, body });
}
