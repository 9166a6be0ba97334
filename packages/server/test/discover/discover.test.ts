import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { hang, open, status, text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { eventually, scriptedEnvironment } from '../support/chat.ts';
import { setLimits } from '../support/limits.ts';
import { readOperations } from '../support/operations.ts';
import { openSse } from '../support/sse-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
let scripted: ScriptedModel;
beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
});
beforeEach(() => scripted.reset());
afterAll(async () => {
  await service.stop();
  await scripted.close();
});

const stream = (path: string, body: object, headers: Record<string, string> = {}) =>
  openSse(`${service.url}/api/v1/${path}/discover`, { method: 'POST', key: service.key, body, headers });

const openApi = JSON.stringify({
  openapi: '3.0.0',
  servers: [{ url: 'https://api.example.com' }],
  paths: { '/a': { get: { operationId: 'read_a' } } },
});
const bot = { name: 'Host', prompt_builder: { role: 'a host' }, chat_greeting: 'Welcome!' };
const beside = {
  suggested_tools: [],
  test_questions: ['One?', 'Two?', 'Three?', 'Four?', 'Five?'],
  notes: [],
};
const written = JSON.stringify({ ...bot, ...beside });

describe('discover as a stream', () => {
  it('streams its steps, then the same draft as the JSON answer', async () => {
    const reader = await stream('tools', { documentation: openApi });
    const { events, complete } = await reader.ended();
    expect(complete).toBe(true);
    expect(events.map(({ event }) => event)).toEqual(['discover.progress', 'discover.completed']);
    expect(events[0]?.data).toEqual({ step: 'drafting', detail: 'Operations in the document: 1.' });
    const json = await service.call('POST /api/v1/tools/discover', {
      body: { documentation: openApi },
      headers: { accept: 'Application/JSON; q=1' },
    });
    expect(events[1]?.data).toEqual(json.body);
    expect(events[1]?.data.tools[0].name).toBe('read_a');
  });

  it('reports repairs', async () => {
    scripted.enqueue([text('no')], [text(written)]);
    const { events } = await (await stream('bots', { description: 'x' }, { accept: '*/*' })).ended();
    const steps = events.map(({ event, data }) => (event === 'discover.progress' ? data.step : event));
    expect(steps).toEqual(['drafting', 'checking', 'repairing', 'checking', 'discover.completed']);
    const drafted = events.at(-1)?.data;
    expect(drafted).toEqual({ draft: { ...bot, system_prompt: 'You are a host.' }, ...beside });
    expect((await service.call('POST /api/v1/bots', { body: drafted.draft })).status).toBe(201);
  });

  it('ends with the error, in its usual shape', async () => {
    scripted.respondWith([text('{}')]);
    const { events } = await (await stream('tools', { documentation: 'prose' })).ended();
    expect(events.at(-1)).toEqual({
      event: 'discover.failed',
      data: {
        error: {
          success: false,
          code: 'UPSTREAM_FAILED',
          message: expect.stringContaining('no usable draft in 4 attempts'),
          details: expect.arrayContaining([{ path: 'tools', message: 'is required' }]),
          request_id: expect.any(String),
          retryable: true,
        },
      },
    });
    // The same request would be refused again.
    for (const [code, retryable] of [
      [400, false],
      [401, false],
      [503, true],
    ] as const) {
      scripted.respondWith([status(code)]);
      const failed = await (await stream('bots', { description: 'x' })).ended();
      expect(failed.events.at(-1)?.data.error, String(code)).toMatchObject({
        code: 'UPSTREAM_FAILED',
        retryable,
      });
    }
    const refused = await (await stream('tools', { url: 'http://127.0.0.1:1/' })).ended();
    expect(refused.events.at(-1)?.data.error).toMatchObject({
      code: 'UPSTREAM_FAILED',
      details: [{ path: 'url', message: expect.stringContaining('could not be read') }],
      request_id: expect.any(String),
      retryable: true,
    });
  });

  it.each(['*/*', 'application/json'])(
    'stops asking the model when the reader goes away (%s)',
    async (accept) => {
      scripted.respondWith([open, hang]);
      const leaving = new AbortController();
      const waiting = fetch(`${service.url}/api/v1/tools/discover`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json', accept },
        body: JSON.stringify({ documentation: 'prose' }),
        signal: leaving.signal,
      });
      waiting.catch(() => undefined);
      await expect.poll(() => scripted.requests.length).toBe(1);
      leaving.abort();
      expect(await scripted.requests[0]?.closedEarly).toBe(true);
    },
  );
});

it('a draft ends when the key that asked for it is revoked', async () => {
  scripted.respondWith([open, hang]);
  const { body: made } = await service.call('POST /api/v1/keys', { body: { name: 'x', abilities: 'all' } });
  const reader = await openSse(`${service.url}/api/v1/tools/discover`, {
    method: 'POST',
    key: made.key,
    body: { documentation: 'prose' },
  });
  await expect.poll(() => scripted.requests.length).toBe(1);
  await service.call(`DELETE /api/v1/keys/${made.id}`);
  expect((await reader.ended()).events.map(({ event }) => event)).toEqual(['discover.progress']);
  expect(await scripted.requests[0]?.closedEarly).toBe(true);
});

describe('discover with an Idempotency-Key', () => {
  it('drafts once, and repeats the result in the requested format', async () => {
    scripted.enqueue([text(JSON.stringify(bot))]);
    const key = { 'idempotency-key': randomUUID() };
    const body = { description: 'x' };
    const { events } = await (await stream('bots', body, key)).ended();
    const completed = events.at(-1);
    expect(completed?.event).toBe('discover.completed');
    const again = await (await stream('bots', body, key)).ended();
    expect(again).toEqual({ complete: true, events: [completed] });
    const headers = { ...key, accept: 'application/json' };
    const json = await service.call('POST /api/v1/bots/discover', { body, headers });
    expect(json).toMatchObject({ status: 200, body: completed?.data });
    const other = await stream('bots', { description: 'y' }, key);
    expect([other.status, other.error.code]).toEqual([409, 'IDEMPOTENCY_MISMATCH']);
    expect(scripted.requests).toHaveLength(1);
  });

  it('is refused while the first is still running, and may be repeated if that failed', async () => {
    const key = { 'idempotency-key': randomUUID() };
    scripted.respondWith([open, hang]);
    const first = await stream('tools', { documentation: 'prose' }, key);
    await expect.poll(() => scripted.requests.length).toBe(1);
    const meanwhile = await stream('tools', { documentation: 'prose' }, key);
    expect([meanwhile.status, meanwhile.error.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS']);
    first.close();
    scripted.reset();
    scripted.respondWith([text('{}')]);
    await eventually(async () => {
      const reader = await stream('tools', { documentation: 'prose' }, key);
      return reader.status === 200 ? (await reader.ended()).events.at(-1)?.event : reader.error.code;
    }).toBe('discover.failed');
    scripted.respondWith([text(JSON.stringify(bot))]);
    const free = await stream('bots', { description: 'x' }, key);
    expect((await free.ended()).events.at(-1)?.event).toBe('discover.completed');
  });
});

it.each(['*/*', 'application/json'])(
  'a draft whose caller left before it began takes no slot (%s)',
  async (accept) => {
    scripted.respondWith([open, hang]);
    await setLimits(service, { drafts: 1 });
    const headers = { authorization: `Bearer ${service.key}`, 'content-type': 'application/json', accept };
    const discover = (documentation: string, signal: AbortSignal | null = null) => {
      const body = JSON.stringify({ documentation });
      return fetch(`${service.url}/api/v1/tools/discover`, { method: 'POST', headers, body, signal });
    };
    const leaving = new AbortController();
    await service.database.acrossWorkspaces.transaction(async (tx) => {
      await tx.execute(sql`lock table workspaces in access exclusive mode`);
      const left = discover('prose', leaving.signal);
      left.catch(() => undefined);
      // It waits for its reservation.
      const waiting = sql`select count(*)::int as count from pg_locks where not granted
        and database = (select oid from pg_database where datname = current_database())`;
      await eventually(async () => (await tx.execute(waiting)).rows[0]?.['count']).toBe(1);
      leaving.abort();
      await expect(left).rejects.toThrow('aborted');
      // After these round trips the service has seen that the connection is closed.
      for (let trip = 0; trip < 5; trip += 1) await fetch(`${service.url}/healthz`);
    });
    await eventually(async () => (await discover(openApi)).status).toBe(200);
    await setLimits(service, { drafts: 'default' });
  },
);

describe('discover', () => {
  it('works with its own examples, and stores nothing', async () => {
    const stored = async () => [
      (await service.call('GET /api/v1/tools')).body,
      (await service.call('GET /api/v1/bots')).body,
    ];
    const before = await stored();
    scripted.respondWith([text(written)]);
    const operations = (await readOperations(service)).filter(({ path }) => path.endsWith('/discover'));
    expect(operations).toHaveLength(2);
    for (const { name, body } of operations) {
      const headers = { accept: 'application/json' };
      const answer = await service.call(name, { body: body?.example, headers });
      expect(answer.status, `${name}: ${JSON.stringify(answer.body)}`).toBe(200);
    }
    expect(await stored()).toEqual(before);
  });

  it.each<[string, 'bots' | 'tools', object]>([
    ['no description', 'bots', {}],
    ['an unknown field', 'bots', { description: 'x', sauces: [] }],
    ['neither documentation nor url', 'tools', {}],
    ['both', 'tools', { documentation: 'x', url: 'https://a.example.com' }],
    ['nothing but space', 'tools', { documentation: ' ' }],
    ['a broken OpenAPI document', 'tools', { documentation: '{"openapi":"3.0.0",' }],
    ['no operations', 'tools', { documentation: openApi, operations: [] }],
  ])('answers 400 for %s, and begins no stream', async (_name, path, body) => {
    for (const accept of ['application/json', 'text/event-stream']) {
      const headers = { accept };
      const answer = await service.call(`POST /api/v1/${path}/discover`, { body, headers });
      expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
      expect(answer.headers.get('content-type')).toContain('application/json');
    }
    expect(scripted.requests).toEqual([]);
  });

  it('answers 503 while there is only the built-in model, before any stream', async () => {
    const bare = await startTestApp();
    try {
      for (const accept of ['application/json', 'text/event-stream']) {
        const headers = { accept };
        const answers = [
          await bare.call('POST /api/v1/tools/discover', { body: { documentation: openApi }, headers }),
          await bare.call('POST /api/v1/bots/discover', { body: { description: 'x' }, headers }),
        ];
        for (const answer of answers)
          expect(answer).toMatchObject({ status: 503, body: { code: 'NO_MODEL_CONFIGURED' } });
      }
    } finally {
      await bare.stop();
    }
  });
});
