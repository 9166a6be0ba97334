import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hang, type Script, text, tokens, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { complete, giveTools, isCheck, makeAgent, startRun } from '../support/agents.ts';
import { askedBy } from '../support/chat.ts';
import { evaluating } from '../support/evaluating.ts';
import { type ReadEvent, readStream } from '../support/faults/reader.ts';
import { conversationOf, createFleet, key, makeBot, readStored } from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import { createClientView } from '../support/faults/view.ts';
import { type OutsideServer, startOutsideServer } from '../support/outside-server.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { openSse, type SseReader } from '../support/sse-client.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

const fleet = createFleet();
let database: TestDatabase;
let redis: RedisServer;
let model: ScriptedModel;
let outside: OutsideServer;
let leaving: ServiceProcess;
let staying: ServiceProcess;
let botId: string;

/** What the model does when it is asked this for the first time; after that it answers. */
const first = new Map<string, Script>();
const asked: string[] = [];
/** The paths that were requested outside. Only those under /quick are answered until a node has left. */
const requested: string[] = [];
let answersAll = false;

const lastMessage = (request: ScriptedModel['requests'][number]) => askedBy(request).at(-1)?.content ?? '';
const countAsked = (message: string) => asked.filter((one) => one === message).length;
const countRequested = (path: string) => requested.filter((one) => one === path).length;

beforeAll(async () => {
  [database, redis, model] = await Promise.all([
    createTestDatabase(),
    startRedisServer(),
    startScriptedModel(),
  ]);
  outside = await startOutsideServer((request, response) => {
    requested.push(request.url ?? '');
    if (answersAll || request.url?.startsWith('/quick')) {
      response.writeHead(200, { 'content-type': 'text/plain' }).end('It is done.');
    }
  });
  model.respondWith((request) => {
    if (isCheck(request)) return [text(JSON.stringify(complete))];
    const message = lastMessage(request);
    asked.push(message);
    return (countAsked(message) === 1 && first.get(message)) || [text(`Answer to ${message}.`)];
  });
  const environment = {
    ...database.environment,
    OPENAI_BASE_URL: model.url('openai'),
    REDIS_URL: redis.url,
    SVC_EGRESS_ALLOW: '127.0.0.1',
    SVC_LOG_LEVEL: 'info',
  };
  leaving = await fleet.start(environment);
  staying = await fleet.start(environment);
  botId = await makeBot(leaving);
  const post = (path: string, approval: object = {}) => ({
    method: 'POST',
    url: `${outside.url}${path}`,
    parameters: { type: 'object', properties: {} },
    ...approval,
  });
  await giveTools({ call: leaving.call(key) }, botId, [
    'web_fetch',
    { tool_type: 'http_request', name: 'pay', configuration: post('/pay') },
    { tool_type: 'http_request', name: 'publish', configuration: post('/quick', { approval: 'always' }) },
  ]);
});
afterAll(async () => {
  await fleet.end();
  outside.close();
  await Promise.all([model.close(), redis.stop()]);
  await database.drop();
});

async function begin(message: string, script: Script): Promise<string> {
  first.set(message, script);
  const stream = fleet.send(leaving, { message, bot_id: botId, new_conversation: true });
  const conversationId = await conversationOf(stream);
  await until('the model is asked', () => countAsked(message) === 1);
  return conversationId;
}

/** A draft that waits for a page which never comes. */
function draft(accept: string): Promise<string> {
  const answer = fetch(`${leaving.url}/api/v1/tools/discover`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept },
    body: JSON.stringify({ url: `${outside.url}/draft` }),
  });
  return answer.then((response) => response.text()).catch(() => 'cut off');
}

const follow = (service: ServiceProcess, conversationId: string): Promise<SseReader> =>
  openSse(`${service.url}/api/v1/chat/stream?conversation_id=${conversationId}`, { key });

it('hands everything over within 10 s of SIGTERM, and nothing fails or happens twice', async () => {
  const call = leaving.call(key);
  // A turn whose reader moves to the other node by Last-Event-ID.
  first.set('stream', [tokens(10_000, 20)]);
  const view = createClientView();
  const sent = readStream(leaving.url, {
    key,
    operation: 'POST /api/v1/chat/send-stream',
    body: { message: 'stream', bot_id: botId, external_user_id: 'u', new_conversation: true },
    onEvent: (event) => view.apply(event),
  });
  const streaming = await conversationOf(sent);
  // A turn whose sender repeats its request there.
  first.set('repeat', [hang]);
  const repeated: ReadEvent[] = [];
  const send = (service: ServiceProcess) =>
    readStream(service.url, {
      key,
      operation: 'POST /api/v1/chat/send-stream',
      body: { message: 'repeat', bot_id: botId, external_user_id: 'u', new_conversation: true },
      headers: { 'Idempotency-Key': idempotencyKey },
      lastEventId: repeated.findLast(({ id }) => id !== undefined)?.id,
      onEvent: (event) => void repeated.push(event),
    });
  const idempotencyKey = randomUUID();
  const repeating = send(leaving);
  const turns = {
    streaming,
    repeating: await conversationOf(repeating),
    hanging: await begin('hang', [hang]),
    paying: await begin('pay', [toolCall('pay', {})]),
    reading: await begin('read', [toolCall('web_fetch', { url: `${outside.url}/page` })]),
    approving: await begin('publish', [toolCall('publish', {})]),
  };
  const unread = await openSse(`${leaving.url}/api/v1/chat/send-stream`, {
    method: 'POST',
    key,
    body: { message: 'unread', bot_id: botId, external_user_id: 'u', new_conversation: true },
  });
  unread.pause();

  // An agent's run in progress, and one whose end is being reported.
  const agent = { output_config: { format: 'text', webhook_url: `${outside.url}/hook` } };
  const agentId = await makeAgent({ call }, agent);
  const reported = await startRun({ call }, agentId);
  await until('the end of a run is reported', () => countRequested('/hook') === 1);
  first.set('Be slow.', [hang]);
  const running = await startRun({ call }, await makeAgent({ call }, { agent_goal: 'Be slow.' }));
  const onStaying = evaluating(() => ({ call: staying.call(key) }));
  first.set('Evaluate me.', [hang]);
  await onStaying.scenario(botId, { turns: ['Evaluate me.', 'Go on.'] });
  const evaluationId = await evaluating(() => ({ call })).start(botId);
  const drafts = [draft('application/json'), draft('text/event-stream')];
  await until('everything is in progress', () =>
    ['/pay', '/page', '/draft'].every((path) => countRequested(path) > 0),
  );
  await until('the model is asked', () => countAsked('Be slow.') + countAsked('Evaluate me.') === 2);
  const pending = () => call(`GET /api/v1/hitl?conversation_id=${turns.approving}`);
  await until('an approval is requested', async () => (await pending()).body.length === 1);
  const [{ id: approvalId }] = (await pending()).body;
  const readers = await Promise.all(Array.from({ length: 100 }, () => follow(leaving, turns.hanging)));

  const signalledAt = performance.now();
  const ended = leaving.end('SIGTERM');
  for (const reader of readers) expect((await reader.ended()).complete).toBe(true);
  const ready = await fetch(`${leaving.url}/readyz`);
  expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close']);
  const late = await follow(leaving, turns.hanging);
  expect(await late.ended()).toEqual({ complete: true, events: [] });
  expect(late.retryMs).toBeGreaterThanOrEqual(500);
  const approved = await call(`POST /api/v1/hitl/${approvalId}/respond`, { body: { action: 'approve' } });
  expect(approved).toMatchObject({ status: 200 });
  expect(performance.now() - signalledAt).toBeLessThan(6_000);

  expect(await ended).toEqual({ code: 0, signal: null });
  expect(performance.now() - signalledAt).toBeLessThan(10_000);
  const problems = leaving.output().match(/^.*"level":[456]0.*$/gm) ?? [];
  expect(problems.filter((line) => !line.includes('NOT_READY'))).toEqual([]);
  answersAll = true;
  expect((await Promise.all(drafts))[1]).not.toContain('discover.failed');
  await until('the other node hears of it', () => staying.output().includes('A node is gone'));
  fleet.follow(staying, streaming, view);
  const resent = send(staying);

  for (const [name, conversationId] of Object.entries(turns)) {
    await until(`${name} ends`, async () => (await readStored(staying, conversationId)).status === 'idle');
    const { events } = await readStored(staying, conversationId);
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)?.event, name).toBe('turn.completed');
  }
  const statusOf = async (run: string) =>
    (await staying.call(key)(`GET /api/v1/conversations/${run}`)).body.status;
  for (const run of [reported, running]) {
    await until('a run is completed', async () => (await statusOf(run)) === 'completed');
  }
  const report = await onStaying.report(botId, evaluationId);
  expect(report).toMatchObject({ status: 'completed', cases: [{ status: 'passed' }] });
  await until('the end of the run is reported again', () => countRequested('/hook') === 2);

  await until('the reader has it all', () => view.durable.at(-1)?.event === 'turn.completed');
  expect(view.durable).toEqual((await readStored(staying, streaming)).events);
  expect([...view.faults, ...view.previews]).toEqual([]);
  await resent.closed;
  const stored = (await readStored(staying, turns.repeating)).events;
  expect(repeated.filter(({ id }) => id !== undefined)).toEqual(stored);

  // The call that may change something ran once; the one that only reads ran again.
  expect(['/pay', '/quick', '/page'].map(countRequested)).toEqual([1, 1, 2]);
  for (const message of ['stream', 'repeat', 'hang', 'Be slow.', 'Evaluate me.']) {
    expect(countAsked(message), message).toBe(2);
  }
  expect(countAsked('publish') + countAsked('unread')).toBe(2);
});
