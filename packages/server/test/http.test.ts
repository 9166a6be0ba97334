import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFrontDoor } from '../src/http/front-door.ts';
import { createHttpServer } from '../src/http/server.ts';
import { createLog } from '../src/log.ts';
import { startTestApp, type TestApp } from './support/test-app.ts';

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
    ['a method that a path does not have', 'DELETE /healthz', undefined, 404, 'NOT_FOUND'],
    ['a path that is not well-formed', 'GET /api/v1/bots/%c0%ff', undefined, 404, 'NOT_FOUND'],
    ['broken JSON', 'POST /api/v1/bots', '{"name":', 400, 'VALIDATION_FAILED'],
    ['no body', 'POST /api/v1/bots', '', 400, 'VALIDATION_FAILED'],
    ['a body that is no object', 'POST /api/v1/bots', '[]', 400, 'VALIDATION_FAILED'],
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

  it('for what is not HTTP at all', async () => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.write('HELLO\r\n\r\n');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    await once(socket, 'close');
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toEqual(errorShape('VALIDATION_FAILED'));
  });
});

describe('requests', () => {
  it('have five minutes to arrive', () => {
    expect(createFrontDoor().server.requestTimeout).toBe(300_000);
  });

  it('are refused before their body is read when the key is bad', async () => {
    const answer = await service.call('POST /api/v1/bots', { key: null, body: '{"broken' });
    expect(answer.status).toBe(401);
  });

  it('are refused before their body is read when nothing is there to take it', async () => {
    for (const operation of ['POST /nowhere', 'POST /api/v1/nothing', 'PUT /healthz']) {
      const answer = await service.call(operation, { body: '{"broken' });
      expect(answer, operation).toMatchObject({ status: 404, body: errorShape('NOT_FOUND') });
    }
  });

  it('with a JSON content type and no body are fine where none is needed', async () => {
    const { body } = await service.call('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' } });
    const answer = await service.call(`DELETE /api/v1/bots/${body.id}`, {
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(200);
  });

  it('are logged with their id and without anything secret', async () => {
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
    await door.close(1_000);
  });
});

it('does not start with a route that declares no ability', async () => {
  const http = await createHttpServer({
    door: createFrontDoor(),
    log: createLog({ level: 'silent', readable: false }),
    publicUrl: 'http://127.0.0.1',
    authenticate: async () => undefined,
  });
  expect(() => http.get('/api/v1/open', () => 'hello')).toThrow('GET /api/v1/open declares no ability.');
  await http.close();
});
