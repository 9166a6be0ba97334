import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createGuardedLane, type GuardedLane } from '../../src/egress/guarded-lane.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Configuration, ToolType } from '../../src/tools/tool-type.ts';
import { createHttpRequestType } from '../../src/tools/types/http-request/http-request-type.ts';
import { type OutsideServer, startOutsideServer } from '../egress/support.ts';
import { callTool, functionOf } from './support.ts';

let api: OutsideServer;
let lane: GuardedLane;
let type: ToolType;
beforeAll(async () => {
  api = await startOutsideServer();
  lane = createGuardedLane({ allow: [`127.0.0.1:${api.port}`] });
  type = createHttpRequestType({ lane, clock: systemClock });
});
beforeEach(() => {
  api.received.length = 0;
  answer({ ok: true });
});
afterAll(async () => {
  await lane.close();
  await api.close();
});

function answer(body: unknown, status = 200, headers: Record<string, string> = {}): void {
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const contentType = { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' };
  api.answerWith((_request, response) =>
    response.writeHead(status, { ...contentType, ...headers }).end(text),
  );
}

const parameters = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, {}])),
});
const call = (configuration: Configuration, given: Record<string, unknown> = {}) =>
  callTool(type, configuration, given);

describe('the request', () => {
  it('fills path, query and headers', async () => {
    const result = await call(
      {
        url: `${api.url}/users/{{id}}?from={{from}}`,
        query: { q: '{{text}}', page: 2, label: 'a-{{missing}}', left_out: '{{missing}}' },
        headers: { 'X-Trace': 'call {{id}}', 'X-Left-Out': '{{missing}}' },
        parameters: parameters('id', 'from', 'text', 'missing'),
      },
      { id: 'a/../b', from: 'x&y=1', text: 'ü #&' },
    );
    expect(result.status).toBe('ok');
    const [received] = api.received;
    expect(received?.method).toBe('GET');
    expect(received?.path).toBe('/users/a%2F..%2Fb?from=x%26y%3D1&q=%C3%BC+%23%26&page=2&label=a-');
    expect(received?.headers).toMatchObject({ 'x-trace': 'call a/../b' });
    expect(received?.headers).not.toHaveProperty('x-left-out');
  });

  it('fills a JSON body: a lone placeholder becomes the value itself, one among text becomes text', async () => {
    const body = {
      count: '{{count}}',
      list: ['{{tags}}', '{{missing}}'],
      text: 'n={{count}} t={{tags}}',
      gone: '{{missing}}',
      fixed: [1, null, true],
    };
    const configuration = {
      method: 'POST',
      url: api.url,
      body,
      parameters: parameters('count', 'tags', 'missing'),
    };
    const expected = {
      count: 5,
      list: [['a"b', { c: 1 }], null],
      text: 'n=5 t=["a\\"b",{"c":1}]',
      fixed: [1, null, true],
    };
    const given = { count: 5, tags: ['a"b', { c: 1 }] };
    await call(configuration, given);
    await call({ ...configuration, body: JSON.stringify(body) }, given);
    await call({ ...configuration, body: '{{tags}}' }, given);
    expect(api.received.map((received) => JSON.parse(received.body) as unknown)).toEqual([
      expected,
      expected,
      given.tags,
    ]);
    expect(api.received[0]?.headers).toMatchObject({ 'content-type': 'application/json' });
  });

  it('carries the id of its call as an Idempotency-Key unless it only reads or sets one itself', async () => {
    const send = (configuration: Configuration) =>
      callTool(type, { url: api.url, ...configuration }, {}, { callId: 'call-1' });
    const shown = [];
    for (const configuration of [
      { method: 'POST' },
      { method: 'DELETE' },
      { method: 'GET' },
      { method: 'HEAD' },
      { method: 'PUT', headers: { 'Idempotency-Key': 'mine' } },
      { method: 'POST', auth_type: 'header', header_name: 'Idempotency-Key', header_value: 'secret-one' },
    ]) {
      shown.push((await send(configuration)).resolvedRequest?.headers['idempotency-key']);
    }
    const received = api.received.map(({ headers }) => headers['idempotency-key']);
    expect(received).toEqual(['call-1', 'call-1', undefined, undefined, 'mine', 'secret-one']);
    expect(shown).toEqual(['call-1', 'call-1', undefined, undefined, 'mine', '***']);
  });

  it('fills forms and text', async () => {
    const configuration = { method: 'PUT', url: api.url, parameters: parameters('a', 'b', 'c') };
    const given = { a: 'x&b=2', b: [1, 'two'] };
    await call(
      { ...configuration, body_type: 'form', body: { one: '{{a}}', many: '{{b}}', gone: '{{c}}' } },
      given,
    );
    await call({ ...configuration, body_type: 'text', body: 'a is {{a}}' }, given);
    expect(api.received.map(({ body, headers }) => [headers['content-type'], body])).toEqual([
      ['application/x-www-form-urlencoded', 'one=x%26b%3D2&many=1&many=two'],
      ['text/plain; charset=utf-8', 'a is x&b=2'],
    ]);
  });

  it('uses the defaults of the schema and is checked before it is sent', async () => {
    const configuration = {
      url: `${api.url}/{{unit}}`,
      query: { limit: '{{limit}}' },
      parameters: {
        type: 'object',
        properties: {
          unit: { type: 'string', enum: ['metric', 'imperial'], default: 'metric' },
          limit: { type: 'integer', maximum: 10 },
        },
        required: ['limit'],
        additionalProperties: false,
      },
    };
    await call(configuration, { limit: 3 });
    expect(api.received[0]?.path).toBe('/metric?limit=3');
    for (const [given, words] of [
      [{}, 'limit is required'],
      [{ limit: 11 }, 'limit must be at most 10'],
      [{ limit: '3' }, 'limit must be an integer'],
      [{ limit: 3, unit: 'x' }, 'unit must be one of metric, imperial'],
      [{ limit: 3, more: 1 }, 'more is not a known field'],
    ] as const) {
      const result = await call(configuration, given);
      expect(result).toMatchObject({ status: 'error', content: expect.stringContaining(words) });
    }
    expect(api.received).toHaveLength(1);
  });

  it('allows no parameter to break out of a header', async () => {
    const configuration = { url: api.url, headers: { 'x-a': '{{a}}' }, parameters: parameters('a') };
    for (const a of ['x\r\nx-evil: 1', 'x\ny', 'x\0', '\u0100']) {
      const result = await call(configuration, { a });
      expect(result.status).toBe('error');
    }
    expect(api.received).toEqual([]);
  });

  it('never reaches a private network, whatever is configured', async () => {
    for (const url of ['http://127.0.0.1:1/', 'http://localhost/', 'http://169.254.169.254/latest/']) {
      const result = await call({ url });
      expect(result).toMatchObject({
        status: 'error',
        content: expect.stringContaining('not a public address'),
      });
    }
  });

  it('times out, and is aborted with the turn', async () => {
    api.answerWith(() => undefined);
    const late = await call({ url: api.url, timeout_ms: 150 });
    expect(late).toMatchObject({ status: 'error', content: expect.stringContaining('within 0.15 seconds') });
    const controller = new AbortController();
    const running = callTool(type, { url: api.url }, {}, { signal: controller.signal });
    controller.abort(new Error('stopped'));
    await expect(running).rejects.toThrow('stopped');
  });
});

describe('the response', () => {
  it('is the part that response_path names', async () => {
    answer({ data: { items: [{ name: 'a', more: 1 }, { name: 'b' }] }, noise: 'x' });
    const named = await call({ url: api.url, response_path: 'data.items[*].name' });
    expect(named).toMatchObject({ status: 'ok', result: { status: 200, body: ['a', 'b'] } });
    expect(named.content).toBe('Status: 200\n\n["a","b"]');
    const nowhere = await call({ url: api.url, response_path: 'data.nothing' });
    expect(nowhere.content).toContain('nothing at data.nothing');
    expect(nowhere.content).toContain('noise');
  });

  it('is limited in size', async () => {
    answer('ü'.repeat(200_000));
    const result = await call({ url: api.url });
    expect(Buffer.byteLength(result.content)).toBeLessThan(66_000);
    expect(result.content).toContain('the rest is left out');
    expect(result.content).not.toContain('\uFFFD');
    expect(result.result).toMatchObject({ truncated: true });
    answer(Array.from({ length: 300_000 }, (_, index) => index));
    expect(Buffer.byteLength(JSON.stringify((await call({ url: api.url })).result))).toBeLessThan(66_000);
  });

  it('is an error with an excerpt when the server returns one', async () => {
    answer({ error: { message: 'no such user', detail: 'x'.repeat(10_000) } }, 404);
    const result = await call({ url: api.url, response_path: 'data' });
    expect(result).toMatchObject({ status: 'error', result: { status: 404 } });
    expect(result.content).toContain('status 404');
    expect(result.content).toContain('no such user');
    expect(result.content.length).toBeLessThan(5_000);
  });

  it.each([
    ['image/png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2])],
    ['application/octet-stream', Buffer.from([0, 255, 254, 1])],
    ['application/pdf', Buffer.from('%PDF-1.7')],
  ])('is a note for %s', async (contentType, body) => {
    answer(body, 200, { 'content-type': contentType });
    const result = await call({ url: api.url });
    expect(result).toMatchObject({ status: 'ok', result: { status: 200, body: '' } });
    expect(result.content).toContain(`The answer is ${contentType} (${body.length} bytes), not text`);
  });

  it('is read in its own character set, and can be stored', async () => {
    answer(Buffer.from('Gr\xfc\xdfe', 'latin1'), 200, { 'content-type': 'text/plain; charset=ISO-8859-1' });
    expect((await call({ url: api.url })).content).toContain('Grüße');
    answer('{"a":"x\\u0000y\\ud800"}', 200, { 'content-type': 'application/json' });
    expect((await call({ url: api.url })).result).toMatchObject({ body: { a: 'x\uFFFDy\uFFFD' } });
    answer(`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 200, { 'content-type': 'application/json' });
    expect((await call({ url: api.url })).status).toBe('ok');
    answer('', 204);
    expect((await call({ url: api.url })).content).toBe('Status: 204\n\nThe answer has no body.');
  });

  it('shows what was sent', async () => {
    const result = await call(
      { method: 'POST', url: `${api.url}/{{a}}`, body: { b: '{{a}}' }, parameters: parameters('a') },
      { a: 'x' },
    );
    expect(result.resolvedRequest).toEqual({
      method: 'POST',
      url: `${api.url}/x`,
      headers: { 'content-type': 'application/json' },
      body: '{"b":"x"}',
    });
  });
});

describe('the function', () => {
  it('has a safe name, the schema of its parameters and its approval', async () => {
    const named = await functionOf(
      type,
      { url: 'https://api.example/', parameters: parameters('a'), approval: 'always' },
      { name: 'Look up: Ünïcode / users' },
    );
    expect(named.name).toMatch(/^[\w-]{1,64}$/);
    expect(named).toMatchObject({
      approval: 'always',
      parameters: parameters('a'),
      description: 'Sends GET to api.example.',
    });
    expect(await functionOf(type, { url: 'https://api.example/' })).toMatchObject({ approval: 'never' });
  });

  it('describes what it would do, without secrets', async () => {
    const forEver = new AbortController().signal;
    const { describeCall } = await functionOf(type, {
      method: 'POST',
      url: 'https://api.example/users/{{id}}',
      body: { note: '{{note}}', key: 'sk-planted-secret' },
      parameters: { ...parameters('id', 'note'), required: ['id'] },
      auth_type: 'bearer',
      bearer_token: 'sk-planted-secret',
    });
    const context = { botId: undefined, conversationId: undefined, signal: forEver };
    expect(await describeCall?.({ id: 'a b', note: 'hi' }, context)).toEqual({
      context: {
        kind: 'call',
        summary: 'POST https://api.example/users/a%20b\n{"note":"hi","key":"***"}',
      },
    });
    // It cannot succeed, so nobody is asked: the model is told instead.
    expect(await describeCall?.({}, context)).toEqual({ fault: expect.stringContaining('id is required') });
  });
});
