import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatWith } from '../support/chat.ts';
import { makePerson, type Person, sayAs } from '../support/end-users.ts';
import { fillIds, type Operation, readOperations } from '../support/operations.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const page = 'https://app.example.com';
const second = 'http://localhost:5173';
/** Pages that are not listed, some of them nearly. */
const unlisted = [
  'null',
  'https://app.example.com:8443',
  'http://app.example.com',
  'https://evil.app.example.com',
  'https://app.example.com.evil.test',
  'https://APP.example.com',
  '*',
];

let service: TestApp;
let operations: Operation[];
let botId: string;
let person: Person;
let conversationId: string;
const chat = chatWith(() => service);

beforeAll(async () => {
  service = await startTestApp({ environment: { SVC_CORS_ORIGINS: `${page}, ${second}` } });
  operations = (await readOperations(service)).filter(({ path }) => path.startsWith('/api/v1'));
  botId = await chat.bot();
  person = await makePerson(service);
  conversationId = (await sayAs(service, person, { bot_id: botId })).conversationId;
});
afterAll(() => service.stop());

const corsHeaders = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));

const preflight = ({ method, path }: Pick<Operation, 'method' | 'path'>, origin: string) =>
  service.call(`OPTIONS ${path.replaceAll(/\{\w+\}/g, conversationId)}`, {
    key: null,
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization',
    },
  });

const forEndUsers = () => operations.filter(({ security }) => security.includes('end_user_token'));

describe('a preflight', () => {
  it('lets listed pages call what end users may call, and nothing else', async () => {
    for (const operation of operations) {
      const answer = await preflight(operation, page);
      expect.soft(answer.status, operation.name).toBe(204);
      const expected = {
        'access-control-allow-origin': page,
        'access-control-allow-methods': operation.method,
        'access-control-allow-headers': 'authorization, content-type, idempotency-key, last-event-id',
        'access-control-max-age': '600',
      };
      expect
        .soft(corsHeaders(answer.headers), operation.name)
        .toEqual(forEndUsers().includes(operation) ? expected : {});
    }
    expect(forEndUsers()).toHaveLength(14);
  });

  it('refuses pages that are not listed', async () => {
    for (const origin of unlisted) {
      for (const operation of forEndUsers()) {
        expect.soft(corsHeaders((await preflight(operation, origin)).headers), origin).toEqual({});
      }
    }
  });

  it('says that its answer depends on the page', async () => {
    const answer = await preflight({ method: 'GET', path: '/api/v1/conversations' }, second);
    expect(answer.headers.get('vary')).toBe('Origin');
    expect(answer.headers.get('access-control-allow-origin')).toBe(second);
  });

  it('without a method, or for one that does not exist, allows nothing', async () => {
    for (const method of ['DELETE', 'get', '']) {
      const answer = await preflight({ method, path: '/api/v1/chat/stream' }, page);
      expect(answer.status).toBe(204);
      expect(corsHeaders(answer.headers)).toEqual({});
    }
  });
});

describe('an answer', () => {
  const ask = (path: string, origin: string, key: string | null) =>
    service.call(`GET ${path}`, { key, headers: { origin } });

  it('can be read by listed pages, with the headers that clients need', async () => {
    for (const origin of [page, second]) {
      const { status, headers } = await ask('/api/v1/conversations', origin, person.token);
      expect(status).toBe(200);
      expect(corsHeaders(headers)).toEqual({
        'access-control-allow-origin': origin,
        'access-control-expose-headers':
          'X-Request-Id, Retry-After, Link, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset',
      });
      expect(headers.get('vary')).toBe('Origin');
    }
  });

  it('cannot be read by other pages', async () => {
    for (const origin of unlisted) {
      const { headers } = await ask('/api/v1/conversations', origin, person.token);
      expect(corsHeaders(headers)).toEqual({});
      expect(headers.get('vary')).toBe('Origin');
    }
  });

  it('to an account key can be read by no page, whatever the operation', async () => {
    for (const operation of operations) {
      // The other tests need the conversation.
      const id = operation.method === 'DELETE' ? randomUUID() : conversationId;
      const path = fillIds(operation, [id, id]);
      const answer = await service.call(`${operation.method} ${path}`, {
        headers: { origin: page },
        ...(operation.body && { body: {} }),
        headOnly: true,
      });
      expect.soft(corsHeaders(answer.headers), operation.name).toEqual({});
    }
  });

  it('that is an error can be read, too', async () => {
    const forged = `${person.token.slice(0, -4)}AAAA`;
    const wrong = await ask('/api/v1/conversations', page, forged);
    expect([wrong.status, wrong.headers.get('access-control-allow-origin')]).toEqual([401, page]);
    const missing = await ask(`/api/v1/conversations/${botId}`, page, person.token);
    expect([missing.status, missing.headers.get('access-control-allow-origin')]).toEqual([404, page]);
    const invalid = await ask('/api/v1/conversations?limit=0', page, person.token);
    expect([invalid.status, invalid.headers.get('access-control-allow-origin')]).toEqual([400, page]);
  });

  it('that is a stream can be read', async () => {
    const options = { key: person.token, headers: { origin: page } };
    const sent = await chat.send({ bot_id: botId, external_user_id: undefined }, options);
    const followed = await chat.listen(conversationId, options);
    for (const { status, headers } of [sent, followed]) {
      expect(status).toBe(200);
      expect(headers['access-control-allow-origin']).toBe(page);
      expect(headers['access-control-expose-headers']).toContain('X-Request-Id');
      expect(headers['content-type']).toContain('text/event-stream');
    }
    expect((await sent.ended()).complete).toBe(true);
    followed.close();
  });

  it('never allows credentials or every page', async () => {
    const { headers } = await ask('/api/v1/conversations', page, person.token);
    expect(headers.has('access-control-allow-credentials')).toBe(false);
    expect(headers.get('access-control-allow-origin')).not.toBe('*');
  });
});
