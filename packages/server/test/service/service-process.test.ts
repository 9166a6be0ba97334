import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  makeDataDirectory,
  type ServiceProcess,
  startServiceProcess,
  stopLeftBehind,
} from '../support/service-process.ts';

let data: Awaited<ReturnType<typeof makeDataDirectory>>;
const running: ServiceProcess[] = [];

beforeAll(async () => {
  data = await makeDataDirectory({ isEmpty: true });
});
afterAll(async () => {
  for (const service of running) await service.end('SIGKILL');
  await stopLeftBehind(data.path);
  await data.remove();
});

async function start(environment: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await startServiceProcess({ SVC_DATA_DIR: data.path, ...environment });
  running.push(service);
  return service;
}

const postmaster = async () =>
  Number((await readFile(join(data.path, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0]);
const bot = { name: 'Kept', system_prompt: 'x' };

/** One data directory, from the first start in it to the last: stopped, then killed, then drained. */
describe('the service', { shuffle: false }, () => {
  const bootstrapKey = `svc_sk_${'B'.repeat(40)}`;
  let key: string;
  let second: ServiceProcess;
  let third: ServiceProcess;

  it('starts without configuration, writes its first key to a file, prints no secret, and stops cleanly', async () => {
    const first = await start();
    await first.ready();
    await expect.poll(() => first.firstKey()).toBeDefined();
    key = first.firstKey() ?? '';
    expect(first.output()).toContain(first.url);
    for (const name of ['first-key', 'set-up-link'])
      expect((await stat(join(data.path, name))).mode & 0o777, name).toBe(0o600);
    expect(await readFile(join(data.path, 'set-up-link'), 'utf8')).toMatch(/^http:\S+\/setup\?token=\S+\n$/);
    expect(first.output()).not.toMatch(/svc_sk_|token=/);
    expect(first.output()).toMatch(/builtin\/extractive/);
    expect((await first.call(key)('POST /api/v1/bots', { body: bot })).status).toBe(201);
    expect(await first.end('SIGINT')).toEqual({ code: 0, signal: null });
    await expect(postmaster()).rejects.toThrow('ENOENT');
  });

  it('starts again with what was stored, and writes no second key', async () => {
    second = await start();
    await second.ready();
    expect((await second.call(key)('GET /api/v1/bots')).body).toMatchObject([{ name: 'Kept' }]);
    expect(second.firstKey()).toBeUndefined();
  });

  it('survives kill -9: the next process takes over the same PostgreSQL, and nothing is lost', async () => {
    const created = await second.call(key)('POST /api/v1/bots', { body: bot });
    const pid = await postmaster();
    await second.end('SIGKILL');

    third = await start({ SVC_BOOTSTRAP_KEY: bootstrapKey });
    await third.ready();
    expect(await postmaster()).toBe(pid);
    expect((await third.call(key)(`GET /api/v1/bots/${created.body.id}`)).status).toBe(200);
  });

  it('takes the bootstrap key from the environment, and prints no other', async () => {
    expect((await third.call(bootstrapKey)('GET /api/v1/bots')).status).toBe(200);
    expect(third.output()).not.toContain('svc_sk_');
  });

  it('drains on SIGTERM: a request in progress is answered, and PostgreSQL stops too', async () => {
    const body = JSON.stringify(bot);
    const socket = connect(Number(new URL(third.url).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.write(
      `POST /api/v1/bots HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${bootstrapKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    );
    // After this response, the service has also received the head of the request above.
    expect((await fetch(`${third.url}/healthz`)).status).toBe(200);
    const ended = third.end('SIGTERM');
    await expect.poll(() => third.output()).toContain('Stopping');
    socket.write(body.slice(5));
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    expect(answer).toMatch(/connection: close/i);
    await expect(postmaster()).rejects.toThrow('ENOENT');
  });

  it.each([
    [
      'SVC_DEFAULT_MODEL',
      'openai/gpt-5-mini',
      'names the provider openai, which is not configured: set OPENAI_API_KEY',
    ],
    ['SVC_EMBEDDING_MODEL', 'nobody/x', 'names the provider nobody, which is not known here'],
  ])('does not start with %s=%s', async (name, value, expected) => {
    const service = await start({ [name]: value });
    expect(await once(service.child, 'close')).toEqual([1, null]);
    expect(service.output()).toMatch(new RegExp(`^${name} ${expected}[^\\n]*\\.\\n$`));
  });
});
