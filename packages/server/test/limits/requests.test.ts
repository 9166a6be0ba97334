import { createConnection } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkspaceService, type LimitChanges } from '../../src/workspaces/workspaces.service.ts';
import { eventually } from '../support/chat.ts';
import { type Answer, startTestApp, type TestApp } from '../support/test-app.ts';

const bots = 'GET /api/v1/bots';

let service: TestApp;
let limited: TestApp;
beforeAll(async () => {
  service = await startTestApp();
  limited = await startTestApp({ environment: { SVC_RATE_LIMIT_PER_MINUTE: '5' } });
});
afterAll(async () => {
  await service.stop();
  await limited.stop();
});

function change({ database }: TestApp, workspaceId: string, limits: LimitChanges) {
  return createWorkspaceService({ database }).changePlan(workspaceId, {}, limits);
}

const rateOf = ({ headers }: Answer) =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`ratelimit-${name}`));

describe('without a limit', () => {
  it('nothing is counted and no headers are sent', async () => {
    const answer = await service.call(bots);
    expect(answer).toMatchObject({ status: 200 });
    expect(rateOf(answer)).toEqual([null, null, null]);
    for (let index = 0; index < 20; index += 1) {
      const wrong = await service.call(bots, { key: 'svc_sk_wrong' });
      expect([wrong.status, ...rateOf(wrong)]).toEqual([401, null, null, null]);
    }
  });
});

describe('a limit of a workspace', () => {
  it('is in the headers of every response, and refuses with the time to wait', async () => {
    const { id, key } = await service.makeWorkspace();
    await change(service, id, { requests_per_minute: 3 });
    const answers: Answer[] = [];
    for (const operation of [bots, `${bots}/no-such-bot`, `POST /api/v1/bots`, bots]) {
      answers.push(await service.call(operation, { key, ...(operation.startsWith('POST') && { body: {} }) }));
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 400, 429]);
    expect(answers.map(rateOf)).toEqual([
      ['3', '2', expect.stringMatching(/^\d+$/)],
      ['3', '1', expect.stringMatching(/^\d+$/)],
      ['3', '0', expect.stringMatching(/^\d+$/)],
      ['3', '0', expect.stringMatching(/^\d+$/)],
    ]);
    const refused = answers.at(-1);
    expect(refused?.body).toMatchObject({
      code: 'RATE_LIMITED',
      message: expect.stringContaining('3 requests'),
      details: [{ limit: 'requests_per_minute', value: 3 }],
    });
    expect(refused?.headers.get('retry-after')).toBe(refused?.headers.get('ratelimit-reset'));
    expect(Number(refused?.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });

  it('applies to each key, and five times as much to all keys together', async () => {
    const { id, key } = await service.makeWorkspace();
    const keys = [key];
    for (let index = 0; index < 5; index += 1) keys.push(await service.makeKey({ workspaceId: id }));
    await change(service, id, { requests_per_minute: 2 });
    const statuses: number[][] = [];
    for (const one of keys) {
      const own: number[] = [];
      for (let index = 0; index < 3; index += 1) own.push((await service.call(bots, { key: one })).status);
      statuses.push(own);
    }
    // Refused requests of one key do not count against the others; the sixth key is over the total.
    expect(statuses).toEqual([...Array.from({ length: 5 }, () => [200, 200, 429]), [429, 429, 429]]);
    const another = await service.makeWorkspace();
    expect((await service.call(bots, { key: another.key })).status).toBe(200);
  });

  it('can be set, lifted and reset to the default while the service runs', async () => {
    const { id, key } = await limited.makeWorkspace();
    const limitNow = async () => (await limited.call(bots, { key })).headers.get('ratelimit-limit');
    expect(await limitNow()).toBe('5');
    await change(limited, id, { requests_per_minute: 50 });
    await eventually(limitNow).toBe('50');
    await change(limited, id, { requests_per_minute: 'unlimited' });
    await eventually(limitNow).toBe(null);
    await change(limited, id, { requests_per_minute: 'default' });
    await eventually(limitNow).toBe('5');
  });

  it('delays the refusal, to slow down callers that retry immediately', async () => {
    const { id, key } = await service.makeWorkspace();
    await change(service, id, { requests_per_minute: 0 });
    const started = performance.now();
    expect(await service.call(bots, { key })).toMatchObject({ status: 429 });
    expect(performance.now() - started).toBeGreaterThan(900);
  });

  it('refuses before the body is read', async () => {
    const { id, key } = await service.makeWorkspace();
    await change(service, id, { requests_per_minute: 1 });
    expect((await service.call(bots, { key })).status).toBe(200);
    // The announced body is never sent.
    const head = await readHead(service.url, [
      'POST /api/v1/bots HTTP/1.1',
      'host: x',
      `authorization: Bearer ${key}`,
      'content-type: application/json',
      'content-length: 1000',
    ]);
    expect(head).toMatch(/^HTTP\/1\.1 429 /);
    expect(head).toMatch(/^retry-after: \d+$/im);
  });

  it('is in the OpenAPI document, with its headers', async () => {
    const document = (await service.call('GET /openapi.json')).body;
    const { responses } = document.paths['/api/v1/bots'].get;
    expect(responses[429].description).toContain('RATE_LIMITED');
    expect(Object.keys(responses[429].headers).toSorted()).toEqual([
      'RateLimit-Limit',
      'RateLimit-Remaining',
      'RateLimit-Reset',
      'Retry-After',
    ]);
    expect(Object.keys(responses[200].headers)).not.toContain('Retry-After');
    expect(Object.keys(document.components.headers)).toHaveLength(4);
    expect(document.paths['/healthz'].get.responses[429]).toBeUndefined();
  });
});

describe('a caller that guesses keys', () => {
  it('is refused before the database is queried, without affecting keys that have worked', async () => {
    const guesser = await startTestApp({ environment: { SVC_RATE_LIMIT_PER_MINUTE: '5' } });
    const { key } = guesser;
    const known = await guesser.makeKey();
    expect((await guesser.call(bots, { key: known })).status).toBe(200);
    const wrong = (index: number) => `svc_sk_${String(index).padStart(43, 'x')}`;
    const statuses: number[] = [];
    for (let index = 0; index < 8; index += 1) {
      const answer = await guesser.call(bots, { key: index % 2 === 0 ? wrong(index) : null });
      statuses.push(answer.status);
      if (answer.status === 429) {
        expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
        expect(rateOf(answer).slice(0, 2)).toEqual(['5', '0']);
      }
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    // Not looked up, because a key that has never worked here could be a guess.
    expect((await guesser.call(bots, { key })).status).toBe(429);
    expect((await guesser.call(bots, { key: known })).status).toBe(200);
    expect((await guesser.call('GET /healthz', { key: null })).status).toBe(200);
    await guesser.stop();
  });
});

function readHead(url: string, lines: string[]): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = createConnection(Number(port), hostname, () => {
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    });
    let text = '';
    socket.on('error', reject).on('data', (piece: Buffer) => {
      text += piece.toString();
      if (!text.includes('\r\n\r\n')) return;
      socket.destroy();
      resolve(text);
    });
  });
}
