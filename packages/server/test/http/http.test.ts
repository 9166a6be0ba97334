import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFrontDoor } from '../../src/http/front-door.ts';
import { operation as declare } from '../../src/http/operation.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { createLog } from '../../src/lib/log.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.stop());

const errorShape = (code: string) => ({
  success: false,
  code,
  message: expect.stringMatching(/\S.*\.$/),
  request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
});

describe('errors have one shape', () => {
  it.each([
    ['an unknown route', 'GET /nowhere', undefined, 404, 'NOT_FOUND'],
    ['an unknown route under the API', 'POST /api/v1/nothing', '{}', 404, 'NOT_FOUND'],
    ['a method that the path does not support', 'DELETE /healthz', undefined, 405, 'METHOD_NOT_ALLOWED'],
    ['a path with a trailing slash', 'GET /api/v1/bots/', undefined, 404, 'NOT_FOUND'],
    ['a path with a double slash', 'GET /api//v1/bots', undefined, 404, 'NOT_FOUND'],
    ['a path with an incomplete escape', 'GET /api/v1/bots/%', undefined, 404, 'NOT_FOUND'],
    ['a very long id', `GET /api/v1/bots/${'x'.repeat(5_000)}`, undefined, 404, 'NOT_FOUND'],
    ['a repeated parameter', 'GET /api/v1/tools/bot?bot_id=a&bot_id=b', undefined, 400, 'VALIDATION_FAILED'],
    ['a very long URL', `GET /api/v1/bots?a=${'x'.repeat(20_000)}`, undefined, 431, 'HEADERS_TOO_LARGE'],
    ['a path that is not well-formed', 'GET /api/v1/bots/%c0%ff', undefined, 404, 'NOT_FOUND'],
    ['broken JSON', 'POST /api/v1/bots', '{"name":', 400, 'VALIDATION_FAILED'],
    ['no body', 'POST /api/v1/bots', '', 400, 'VALIDATION_FAILED'],
    ['a body that is not an object', 'POST /api/v1/bots', '[]', 400, 'VALIDATION_FAILED'],
    ['prototype tricks', 'POST /api/v1/bots', '{"__proto__":{"a":1}}', 400, 'VALIDATION_FAILED'],
    [
      'deep nesting',
      'POST /api/v1/bots',
      `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
      400,
      'VALIDATION_FAILED',
    ],
    ['a large body', 'POST /api/v1/bots', `"${'x'.repeat(1024 * 1024)}"`, 413, 'PAYLOAD_TOO_LARGE'],
  ])('for %s', async (_what, operation, body, status, code) => {
    const answer = await service.call(operation, body === undefined ? {} : { body });
    expect(answer.status).toBe(status);
    const { details: _details, ...rest } = answer.body;
    expect(rest).toEqual(errorShape(code));
    expect(answer.headers.get('x-request-id')).toBe(rest.request_id);
  });

  it('for a content type that is not accepted', async () => {
    const answer = await service.call('POST /api/v1/bots', {
      body: 'a=b',
      headers: { 'content-type': 'text/plain' },
    });
    expect(answer).toMatchObject({ status: 415, body: errorShape('UNSUPPORTED_MEDIA_TYPE') });
  });

  it.each([
    ['bytes that are not HTTP', 'HELLO\r\n\r\n', 400, 'VALIDATION_FAILED'],
    ['an unknown HTTP version', 'GET / HTTP/9.9\r\n\r\n', 400, 'VALIDATION_FAILED'],
    ['a malformed header', 'GET / HTTP/1.1\r\nHost: x\r\nno header\r\n\r\n', 400, 'VALIDATION_FAILED'],
    ['no host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'VALIDATION_FAILED'],
    [
      'two Content-Length headers',
      'POST /api/v1/bots HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
      400,
      'VALIDATION_FAILED',
    ],
    [
      'a malformed chunk',
      'POST /nowhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
      'VALIDATION_FAILED',
    ],
    [
      'headers that are too long',
      `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'HEADERS_TOO_LARGE',
    ],
    ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
    [
      'a rare method',
      'PURGE /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      405,
      'METHOD_NOT_ALLOWED',
    ],
    [
      'metrics where they are not configured',
      'GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      404,
      'NOT_FOUND',
    ],
    [
      'a rare method on an unknown path',
      'PURGE /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      404,
      'NOT_FOUND',
    ],
  ])('for %s', async (_what, bytes, status, code) => {
    expectBroken(await exchange(service.url, bytes), status, code);
  });

  it('for a request that takes too long to arrive', async () => {
    const door = createFrontDoor({ requestTimeoutMs: 50, lookEveryMs: 20 });
    const { port } = await door.listen(0, '127.0.0.1');
    const answer = await exchange(`http://127.0.0.1:${port}`, 'POST / HTTP/1.1\r\nHost: x\r\n');
    expectBroken(answer, 408, 'REQUEST_TIMEOUT');
    await door.close(1_000);
  });

  it('but never in place of the response to the previous request', async () => {
    const door = createFrontDoor();
    const { port } = await door.listen(0, '127.0.0.1');
    const url = `http://127.0.0.1:${port}`;
    // The request is accepted but not answered yet.
    door.open(() => undefined);
    const complete = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}';
    const brokenBody = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n';
    for (const behind of ['HELLO\r\n\r\n', brokenBody]) {
      expect(await exchange(url, complete + behind)).toBe('');
    }
    // Once the previous request is answered, the error is sent as usual.
    door.open((_request, response) => response.end());
    const both = await exchange(url, [complete, 'HELLO\r\n\r\n']);
    expectBroken(both.slice(both.indexOf('HTTP/1.1 400')), 400, 'VALIDATION_FAILED');
    await door.close(1_000);
  });

  it('even while the service starts', async () => {
    const door = createFrontDoor();
    const { port } = await door.listen(0, '127.0.0.1');
    expectBroken(await exchange(`http://127.0.0.1:${port}`, 'HELLO\r\n\r\n'), 400, 'VALIDATION_FAILED');
    await door.close(1_000);
  });
});

/** Sends the pieces over a new connection, each after a response to the previous one, and reads until it is closed. */
async function exchange(url: string, bytes: string | readonly string[]): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  const [first = '', ...later] = [bytes].flat();
  socket.write(first);
  for (const piece of later) {
    await once(socket, 'data');
    socket.write(piece);
  }
  await once(socket, 'close');
  return text;
}

function expectBroken(text: string, status: number, code: string): void {
  expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const error = JSON.parse(body.replace(/^[0-9a-f]+\r\n|\r\n.*$/gs, ''));
  expect(error).toEqual(errorShape(code));
  expect(/^x-request-id: (.+)$/im.exec(head)?.[1]).toBe(error.request_id);
}

describe('an address that does not exist', () => {
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

  it.each(['/foo/bar', '/foo%', '/docs/guides/nothing', '/console/gone.js'])(
    'shows a page to a person at %s',
    async (path) => {
      const answer = await service.call(`GET ${path}`, { key: null, headers: browser });
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.body).toContain('There is nothing at this address');
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    },
  );

  it.each(['GET /api/v1/nothing', 'GET /api/v1/bots/unknown', 'POST /foo/bar'])(
    'is JSON in the API, also for a browser: %s',
    async (operation) => {
      expect((await service.call(operation, { headers: browser })).body).toEqual(errorShape('NOT_FOUND'));
    },
  );
});

describe('the id of a request', () => {
  it('is the one that the caller sent', async () => {
    const headers = { 'x-request-id': 'trace-1:2.a_B' };
    expect((await service.call('GET /api/v1/bots', { headers })).headers.get('x-request-id')).toBe(
      'trace-1:2.a_B',
    );
    expect((await service.call('GET /nowhere', { headers })).body.request_id).toBe('trace-1:2.a_B');
  });

  it.each(['', 'with spaces', 'a"b', '<b>', 'x'.repeat(101), 'é'])(
    'is generated in place of %j',
    async (given) => {
      const { headers, body } = await service.call('GET /nowhere', { headers: { 'x-request-id': given } });
      expect(body).toEqual(errorShape('NOT_FOUND'));
      expect(headers.get('x-request-id')).toBe(body.request_id);
    },
  );
});

describe('HEAD', () => {
  it('returns the headers of GET and no body', async () => {
    const { body } = await service.call('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' } });
    for (const path of ['/healthz', `/api/v1/bots/${body.id}`, `/api/v1/bots/${randomUUID()}`, '/nowhere']) {
      const [got, head] = [await service.call(`GET ${path}`), await service.call(`HEAD ${path}`)];
      expect(head, path).toMatchObject({ status: got.status, body: '' });
      for (const name of ['content-type', 'content-length', 'cache-control', 'x-content-type-options']) {
        expect.soft(head.headers.get(name), `${path} ${name}`).toBe(got.headers.get(name));
      }
    }
    expect((await service.call('HEAD /api/v1/bots', { key: null })).status).toBe(401);
  });

  it('of a stream ends immediately', async () => {
    const bot = await service.call('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' } });
    const said = await service.call('POST /api/v1/chat/send-stream', {
      body: { bot_id: bot.body.id, message: 'Hello', external_user_id: 'head' },
    });
    const conversationId = /"conversation_id":"([^"]+)"/.exec(said.body)?.[1];
    const head = (close: string) =>
      `HEAD /api/v1/chat/stream?conversation_id=${conversationId} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n${close}\r\n`;
    // All share one connection, so each must end before the next is read.
    const answers = await exchange(service.url, `${head('')}${head('')}${head('Connection: close\r\n')}`);
    expect(answers.match(/^HTTP\/1.1 200 OK\r\n/gm)).toHaveLength(3);
    expect(answers.match(/^content-type: text\/event-stream/gm)).toHaveLength(3);
    expect(answers.split('\r\n\r\n').at(-1)).toBe('');
    const unknown = await service.call(`HEAD /api/v1/chat/stream?conversation_id=${randomUUID()}`);
    expect(unknown.status).toBe(404);
  });
});

describe('requests', () => {
  it('have five minutes to arrive, on connections that outlive the one-minute timeout of most proxies', () => {
    expect(createFrontDoor().server).toMatchObject({ requestTimeout: 300_000, keepAliveTimeout: 72_000 });
  });

  it('are refused before their body is read when the key is bad', async () => {
    const answer = await service.call('POST /api/v1/bots', { key: null, body: '{"broken' });
    expect(answer.status).toBe(401);
  });

  it('are refused before their body is read when the route does not exist', async () => {
    for (const operation of ['POST /nowhere', 'POST /api/v1/nothing']) {
      const answer = await service.call(operation, { body: '{"broken' });
      expect(answer, operation).toMatchObject({ status: 404, body: errorShape('NOT_FOUND') });
    }
  });

  it('with a JSON content type and no body are accepted where no body is needed', async () => {
    const { body } = await service.call('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' } });
    const answer = await service.call(`DELETE /api/v1/bots/${body.id}`, {
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(200);
  });

  it('are logged with their id and without secrets', async () => {
    const answer = await service.call('GET /api/v1/bots?metadata.a=canary-value');
    const id = answer.headers.get('x-request-id') ?? 'none';
    await expect
      .poll(() => service.logged.find((line) => line.includes(id)))
      .toContain('"path":"/api/v1/bots"');
    const log = service.logged.join('');
    expect(log).not.toContain('canary-value');
    expect(log).not.toContain(service.key);
  });
});

describe('health', () => {
  it('answers without a key', async () => {
    expect(await service.call('GET /healthz', { key: null })).toMatchObject({
      status: 200,
      body: { status: 'ok' },
    });
    expect(await service.call('GET /readyz', { key: null })).toMatchObject({
      status: 200,
      body: { status: 'ok' },
    });
  });

  it('is alive but not ready while the service starts', async () => {
    const door = createFrontDoor();
    const { port } = await door.listen(0, '127.0.0.1');
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    expect((await get('/healthz')).status).toBe(200);
    const answer = await get('/readyz');
    expect(answer.status).toBe(503);
    expect(await answer.json()).toEqual(errorShape('NOT_READY'));
    const named = await fetch(`http://127.0.0.1:${port}/readyz`, { headers: { 'x-request-id': 'early' } });
    expect(await named.json()).toMatchObject({ request_id: 'early' });
    await door.close(1_000);
  });
});

it('does not start with a route that declares no ability, or that would ignore an Idempotency-Key', async () => {
  const http = await createHttpServer({
    door: createFrontDoor(),
    log: createLog({ level: 'silent', readable: false }),
    publicUrl: 'http://127.0.0.1',
    authenticator: {
      authenticate: async () => undefined,
      authenticateAgain: async () => undefined,
      preflight: async () => undefined,
    },
    trustedProxies: [],
  });
  expect(() => http.get('/api/v1/open', () => 'hello')).toThrow('GET /api/v1/open declares no ability.');
  const declared = declare({
    ability: 'bots:write',
    tag: 'x',
    id: 'x',
    summary: 'x',
    schema: { response: { 200: Type.String() } },
  });
  expect(() => http.post('/api/v1/twice', declared, () => 'hello')).toThrow('Idempotency-Key');
  await http.close();
});
