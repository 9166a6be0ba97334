import { readFile, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  makeDataDirectory,
  type ServiceProcess,
  startServiceProcess,
  stopLeftBehind,
} from '../support/service-process.ts';

let data: Awaited<ReturnType<typeof makeDataDirectory>>;
const running: ServiceProcess[] = [];

beforeEach(async () => {
  data = await makeDataDirectory();
});
afterEach(async () => {
  for (const service of running.splice(0)) await service.end('SIGKILL');
  await stopLeftBehind(data.path);
  await data.remove();
});

async function start(
  environment: Record<string, string> = {},
  options: Parameters<typeof startServiceProcess>[1] = {},
): Promise<ServiceProcess> {
  const service = await startServiceProcess({ SVC_DATA_DIR: data.path, ...environment }, options);
  running.push(service);
  return service;
}

const postmaster = async () =>
  Number((await readFile(join(data.path, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0]);
const bot = { name: 'Kept', system_prompt: 'x' };

describe('the service', () => {
  it('starts without configuration, writes its first key to a file once, prints no secret, and stops cleanly', async () => {
    await data.remove();
    const first = await start({}, { fromSources: true });
    await first.ready();
    await expect.poll(() => first.firstKey()).toBeDefined();
    const key = first.firstKey() ?? '';
    expect(first.output()).toContain(first.url);
    for (const name of ['first-key', 'set-up-link'])
      expect((await stat(join(data.path, name))).mode & 0o777, name).toBe(0o600);
    expect(await readFile(join(data.path, 'set-up-link'), 'utf8')).toMatch(/^http:\S+\/setup\?token=\S+\n$/);
    expect(first.output()).not.toMatch(/svc_sk_|token=/);
    expect(first.output()).toMatch(/builtin\/extractive/);
    expect((await first.call(key)('POST /api/v1/bots', { body: bot })).status).toBe(201);
    expect(await first.end('SIGINT')).toEqual({ code: 0, signal: null });
    await expect(postmaster()).rejects.toThrow('ENOENT');

    const second = await start();
    await second.ready();
    expect((await second.call(key)('GET /api/v1/bots')).body).toMatchObject([{ name: 'Kept' }]);
    await expect.poll(() => second.output()).toContain('svc is ready');
    expect(second.firstKey()).toBeUndefined();
    expect(await second.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it('survives kill -9: the next process takes over the same PostgreSQL, and nothing is lost', async () => {
    const first = await start();
    await first.ready();
    await expect.poll(() => first.firstKey()).toBeDefined();
    const key = first.firstKey() ?? '';
    const created = await first.call(key)('POST /api/v1/bots', { body: bot });
    const pid = await postmaster();
    await first.end('SIGKILL');

    const second = await start();
    await second.ready();
    expect(await postmaster()).toBe(pid);
    expect((await second.call(key)(`GET /api/v1/bots/${created.body.id}`)).status).toBe(200);
    expect((await second.end('SIGINT')).code).toBe(0);
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
    await expect.poll(() => service.child.exitCode, { timeout: 20_000 }).toBe(1);
    expect(service.output()).toMatch(new RegExp(`^${name} ${expected}[^\\n]*\\.\\n$`));
  });

  it('reads the bootstrap key from the environment or a file, and prints no other', async () => {
    const key = `svc_sk_${'B'.repeat(40)}`;
    const service = await start({ SVC_BOOTSTRAP_KEY: key });
    await service.ready();
    expect((await service.call(key)('GET /api/v1/bots')).status).toBe(200);
    await expect.poll(() => service.output()).toContain('svc is ready');
    expect(service.output()).not.toContain('svc_sk_');
  });

  it('drains on SIGTERM: a request in progress is answered', async () => {
    const service = await start({ SVC_BOOTSTRAP_KEY: `svc_sk_${'D'.repeat(40)}` });
    await service.ready();
    const body = JSON.stringify(bot);
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.write(
      `POST /api/v1/bots HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer svc_sk_${'D'.repeat(40)}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    );
    // After this response, the service has also received the head of the request above.
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    const ended = service.end('SIGTERM');
    await expect.poll(() => service.output(), { timeout: 10_000 }).toContain('Stopping');
    socket.write(body.slice(5));
    expect((await ended).code).toBe(0);
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    expect(answer).toMatch(/connection: close/i);
  });
});
