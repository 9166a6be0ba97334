import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ChatProcess, startChat } from '../command/chat-process.ts';
import { hang, type Script, text, tokens, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { complete, giveTools, isCheck, makeAgent, startRun } from '../support/agents.ts';
import { type Balancer, startBalancer } from '../support/balancer.ts';
import { askedBy } from '../support/chat.ts';
import { evaluating } from '../support/evaluating.ts';
import { type ReadEvent, readStream } from '../support/faults/reader.ts';
import {
  conversationOf,
  createFleet,
  key,
  makeBot,
  type Reachable,
  readStored,
} from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import { createClientView } from '../support/faults/view.ts';
import { type OutsideServer, startOutsideServer } from '../support/outside-server.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { openSse, type SseReader } from '../support/sse-client.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

/** One node of two gets SIGTERM in the middle of everything. Each test looks at one kind of work. */
const fleet = createFleet();
let database: TestDatabase;
let redis: RedisServer;
let model: ScriptedModel;
let outside: OutsideServer;
let balancer: Balancer;
let leaving: ServiceProcess;
let staying: Reachable;
let botId: string;

/** What the model does when it is asked this for the first time; after that it answers. */
const first = new Map<string, Script>();
const asked: string[] = [];
/** The paths that were requested outside. The first request hangs, except on /quick; the next one is answered. */
const requested: string[] = [];
/** Stands for the result of a calculation. */
const sum = 'forty-two';
const countAsked = (message: string) => asked.filter((one) => one === message).length;
const countRequested = (path: string) => requested.filter((one) => one === path).length;

/** A reader that follows the contract across both nodes. */
const view = createClientView();
/** What a sender received from both nodes, with one Idempotency-Key. */
const received: ReadEvent[] = [];
const idempotencyKey = randomUUID();
const turns = new Map<string, string>();
const runs: string[] = [];
let evaluationId: string;
let chat: ChatProcess;
let drafts: Promise<string>[];
/** What the node answered after the signal, and how it ended. */
let after: { readiness: Response; late: SseReader; approval: number; output(): string };
let code: number | null;

beforeAll(async () => {
  [database, redis, model] = await Promise.all([
    createTestDatabase(),
    startRedisServer(),
    startScriptedModel(),
  ]);
  outside = await startOutsideServer((request, response) => {
    const { url = '' } = request;
    requested.push(url);
    if (url === '/quick' || (countRequested(url) > 1 && url !== '/draft')) {
      response.writeHead(200, { 'content-type': 'text/plain' }).end('It is done.');
    }
  });
  model.respondWith((request) => {
    if (isCheck(request)) return [text(JSON.stringify(complete))];
    const { role, content = '' } = askedBy(request).at(-1) ?? {};
    const message = role === 'tool' && content === '42' ? sum : content;
    asked.push(message);
    return (countAsked(message) === 1 && first.get(message)) || [text(`Answer to ${message}.`)];
  });
  const environment = {
    OPENAI_BASE_URL: model.url('openai'),
    REDIS_URL: redis.url,
    SVC_EGRESS_ALLOW: '127.0.0.1',
    SVC_LOG_LEVEL: 'info',
  };
  [leaving, staying] = await Promise.all([
    fleet.start({ ...database.environment, ...environment }),
    fleet.startHere(database, environment),
  ]);
  balancer = await startBalancer([leaving.url, staying.url]);
  botId = await makeBot(leaving);
  await giveTools({ call: leaving.call(key) }, botId, [
    'web_fetch',
    'calculator',
    { tool_type: 'http_request', name: 'pay', configuration: post('/pay') },
    {
      tool_type: 'http_request',
      name: 'publish',
      configuration: { ...post('/quick'), approval: 'always' },
    },
  ]);
  await beginEverything();
  await leave();
});
afterAll(async () => {
  chat.signal('SIGKILL');
  await fleet.end();
  outside.close();
  await Promise.all([model.close(), redis.stop(), balancer.close()]);
  await database.drop();
});

function post(path: string): object {
  const parameters = { type: 'object', properties: {} };
  return { method: 'POST', url: outside.url + path, parameters, approval: 'never' };
}

function send(service: Reachable, message: string, more: Partial<Parameters<typeof readStream>[1]> = {}) {
  return readStream(service.url, {
    key,
    operation: 'POST /api/v1/chat/send-stream',
    body: { message, bot_id: botId, external_user_id: message, new_conversation: true },
    ...more,
  });
}

const sendWithKey = (service: Reachable) =>
  send(service, 'repeat', {
    headers: { 'Idempotency-Key': idempotencyKey },
    lastEventId: received.findLast(({ id }) => id !== undefined)?.id,
    onEvent: (event) => void received.push(event),
  });

const follow = (service: Reachable, conversationId: string): Promise<SseReader> =>
  openSse(`${service.url}/api/v1/chat/stream?conversation_id=${conversationId}`, { key });

/** A draft that waits for a page which never comes. */
function draft(accept: string): Promise<string> {
  const answer = fetch(`${leaving.url}/api/v1/tools/discover`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept },
    body: JSON.stringify({ url: `${outside.url}/draft` }),
  });
  return answer.then((response) => response.text()).catch(() => 'cut off');
}

async function beginEverything(): Promise<void> {
  const call = leaving.call(key);
  first.set('stream', [tokens(10_000, 20)]);
  first.set('repeat', [hang]);
  first.set('hang', [hang]);
  first.set('pay', [toolCall('pay', {})]);
  first.set('read', [toolCall('web_fetch', { url: `${outside.url}/page` })]);
  first.set('publish', [toolCall('publish', {})]);
  first.set('chat', [text('One moment.'), toolCall('calculator', { expression: '40 + 2' })]);
  first.set(sum, [hang]);
  first.set('Be slow.', [hang]);
  first.set('Evaluate me.', [hang]);
  turns.set(
    'stream',
    await conversationOf(send(leaving, 'stream', { onEvent: (event) => view.apply(event) })),
  );
  turns.set('repeat', await conversationOf(sendWithKey(leaving)));
  for (const message of ['hang', 'pay', 'read', 'publish']) {
    turns.set(message, await conversationOf(send(leaving, message)));
  }
  // A sender that never reads.
  const body = { message: 'stream', bot_id: botId, external_user_id: 'idle', new_conversation: true };
  (await openSse(`${leaving.url}/api/v1/chat/send-stream`, { method: 'POST', key, body })).pause();
  chat = startChat({ args: [botId, '--url', balancer.url], environment: { SVC_API_KEY: key } });
  chat.type('chat\n');
  await chat.shows('One moment.');

  // A run that has ended and is being reported, and one in progress.
  const reporting = { output_config: { format: 'text', webhook_url: `${outside.url}/hook` } };
  runs.push(await startRun({ call }, await makeAgent({ call }, reporting)));
  await until('the end of a run is reported', () => countRequested('/hook') === 1);
  runs.push(await startRun({ call }, await makeAgent({ call }, { agent_goal: 'Be slow.' })));
  const evaluations = evaluating(() => ({ call }));
  await evaluations.scenario(botId, { turns: ['Evaluate me.', 'Continue.'] });
  evaluationId = await evaluations.start(botId);
  drafts = [draft('application/json'), draft('text/event-stream')];
  await until('everything is in progress', () =>
    ['/pay', '/page', '/draft'].every((path) => countRequested(path) > 0),
  );
  await until('the model is asked', () => [...first.keys()].every((message) => countAsked(message) > 0));
}

async function leave(): Promise<void> {
  const call = leaving.call(key);
  const pending = () => call(`GET /api/v1/hitl?conversation_id=${turns.get('publish')}`);
  await until('an approval is requested', async () => (await pending()).body.length === 1);
  const [{ id: approvalId }] = (await pending()).body;
  const conversationId = turns.get('hang') ?? '';
  const readers = await Promise.all(Array.from({ length: 100 }, () => follow(leaving, conversationId)));

  // Before the signal, a slow machine may be told that its nodes are slow to find each other.
  const { length } = leaving.output();
  const ended = leaving.end('SIGTERM');
  for (const reader of readers) await reader.ended();
  const readiness = await fetch(`${leaving.url}/readyz`);
  const late = await follow(leaving, conversationId);
  await late.ended();
  const approval = await call(`POST /api/v1/hitl/${approvalId}/respond`, { body: { action: 'approve' } });
  const output = () => leaving.output().slice(length);
  after = { readiness, late, approval: approval.status, output };
  ({ code } = await ended);
}

async function outcomesOf(message: string): Promise<string[]> {
  const { events } = await readStored(staying, turns.get(message) ?? '');
  return events.flatMap(({ event, data }) => (event === 'tool.completed' ? data.status : []));
}

it('ends in time after SIGTERM, without an error', async () => {
  // Otherwise it would have given up just before ten seconds, with an error and exit code 1.
  expect(code).toBe(0);
  expect(after.output()).toContain('"level":30');
  expect(after.output().match(/^.*"level":[456]0.*$/gm)).toBeNull();
  // Drafts cannot continue elsewhere: they are cut off, not reported as failed.
  for (const answer of await Promise.all(drafts)) expect(answer).not.toContain('failed');
});

it('reports at once that it is not ready, sends its readers away, and answers until it is gone', () => {
  expect(after.readiness.status).toBe(503);
  expect(after.readiness.headers.get('connection')).toBe('close');
  expect(after.late.events).toEqual([]);
  expect(after.late.retryMs).toBeGreaterThanOrEqual(500);
  expect(after.approval).toBe(200);
});

it('announces that it is gone, and every turn is completed by the other node', async () => {
  await until('the other node hears of it', () => staying.output().includes('A node is gone'));
  for (const [message, conversationId] of turns) {
    await until(`${message} ends`, async () => (await readStored(staying, conversationId)).status === 'idle');
    const { events } = await readStored(staying, conversationId);
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)?.event, message).toBe('turn.completed');
  }
  for (const message of ['repeat', 'hang']) expect(countAsked(message), message).toBe(2);
  expect(countAsked('publish')).toBe(1);
  // Calls that may change something are not repeated; one that only reads is, unless it timed out before.
  expect(countRequested('/pay')).toBe(1);
  expect(countRequested('/quick')).toBe((await outcomesOf('publish'))[0] === 'ok' ? 1 : 0);
  expect(countRequested('/page')).toBe((await outcomesOf('read'))[0] === 'ok' ? 2 : 1);
});

it('runs, evaluations and jobs continue on the other node', async () => {
  const call = staying.call(key);
  for (const run of runs) {
    const statusOf = async () => (await call(`GET /api/v1/conversations/${run}`)).body.status;
    await until('a run is completed', async () => (await statusOf()) === 'completed');
  }
  expect(countAsked('Be slow.')).toBe(2);
  const report = await evaluating(() => ({ call })).report(botId, evaluationId);
  expect(report).toMatchObject({ status: 'completed', cases: [{ status: 'passed' }] });
  expect(countAsked('Evaluate me.')).toBe(2);
  await until('the end of the run is reported again', () => countRequested('/hook') === 2);
});

it('readers resume on the other node without a gap or duplicate', async () => {
  const conversationId = turns.get('stream') ?? '';
  fleet.follow(staying, conversationId, view);
  await until('the reader has it all', () => view.durable.at(-1)?.event === 'turn.completed');
  expect(view.durable).toEqual((await readStored(staying, conversationId)).events);
  expect([...view.faults, ...view.previews]).toEqual([]);
  // What the first node received from the model is paid for too.
  expect((await readStored(staying, conversationId)).stats.input_tokens).toBeGreaterThan(10);
  await sendWithKey(staying).closed;
  const stored = (await readStored(staying, turns.get('repeat') ?? '')).events;
  expect(received.filter(({ id }) => id !== undefined)).toEqual(stored);
});

it('svc chat resumes by itself behind a load balancer and shows the rest once', async () => {
  chat.endInput();
  expect(await chat.ended, chat.stderr()).toBe(0);
  expect(chat.stdout()).toBe(`One moment.\nAnswer to ${sum}.\n`);
  expect(countAsked(sum)).toBe(2);
});
