import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeKey } from '../../src/secrets/bearer-key.ts';
import { readOperations } from '../support/operations.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
let machine: { id: string; name: string; token: string };
beforeAll(async () => {
  service = await startTestApp();
  machine = await pair('ada-laptop');
});
afterAll(() => service.stop());

const pair = async (name: string) =>
  (await service.call('POST /api/v1/machines', { body: { name } })).body as typeof machine;
const whoami = (key: string | null) => service.call('GET /api/machines/whoami', { key });

it('names the machine that a key belongs to', async () => {
  expect(await whoami(machine.token)).toMatchObject({
    status: 200,
    body: { id: machine.id, name: 'ada-laptop' },
  });
});

it('accepts no other kind of key', async () => {
  const revoked = await pair('gone');
  await service.call(`DELETE /api/v1/machines/${revoked.id}`);
  const keys = {
    none: null,
    'an account key': service.key,
    'a key like that of a widget': makeKey('svc_'),
    'a random machine key': makeKey('svc_mk_'),
    'a revoked machine key': revoked.token,
    'the hash of nothing': 'svc_mk_',
    'an account key with another prefix': service.key.replace('svc_sk_', 'svc_mk_'),
    'a machine key with another prefix': machine.token.replace('svc_mk_', 'svc_'),
    'a machine key with something after it': `${machine.token}x`,
  };
  const answers = await Promise.all(
    Object.entries(keys).map(async ([kind, key]) => [kind, await whoami(key)] as const),
  );
  for (const [kind, { status, body, headers }] of answers) {
    expect.soft({ kind, status, code: body.code }).toEqual({ kind, status: 401, code: 'UNAUTHORIZED' });
    expect.soft(headers.get('www-authenticate'), kind).toBe('Bearer');
  }
  const messages = new Set(answers.map(([, { body }]) => body.message as string));
  expect(messages.size).toBe(1);
});

it('is all that a machine key is for', async () => {
  const operations = (await readOperations(service)).filter(({ scheme }) => scheme === 'machine_key');
  expect(operations.map(({ path }) => path).toSorted()).toEqual([
    '/api/machines/connect',
    '/api/machines/whoami',
  ]);
  for (const path of ['bots', 'machines', 'keys', 'chat/events?conversation_id=x'])
    expect((await service.call(`GET /api/v1/${path}`, { key: machine.token })).status, path).toBe(401);
});

it('limits guesses like those of account keys, but not machines', async () => {
  const limited = await startTestApp({ environment: { SVC_RATE_LIMIT_PER_MINUTE: '5' } });
  const { body } = await limited.call('POST /api/v1/machines', { body: { name: 'desk' } });
  const ask = (key: string) => limited.call('GET /api/machines/whoami', { key });
  expect((await ask(body.token)).status).toBe(200);
  const guesses = await Promise.all(Array.from({ length: 10 }, () => ask(makeKey('svc_mk_'))));
  expect(guesses.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(5);
  expect(guesses.map(({ status }) => status)).toContain(429);
  expect((await ask(body.token)).status).toBe(200);
  await limited.stop();
});
