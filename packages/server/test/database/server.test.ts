import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { until } from '../support/faults/until.ts';
import { runCommand, type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import type { Answer } from '../support/test-app.ts';
import { createPostgres15, type PostgresServer } from './postgres-15.ts';

const encryptionKey = randomBytes(32).toString('base64');
const bot = { name: 'Kept', system_prompt: 'x' };
const running: ServiceProcess[] = [];
let server: PostgresServer;

beforeAll(async () => {
  server = await createPostgres15();
  await server.start();
});
afterAll(async () => {
  for (const service of running) await service.end('SIGKILL');
  await server.remove();
});

async function start(environment: Record<string, string>): Promise<ServiceProcess> {
  const service = await startServiceProcess(environment);
  running.push(service);
  return service;
}

const environmentFor = (databaseUrl: string) => ({
  DATABASE_URL: databaseUrl,
  SVC_ENCRYPTION_KEY: encryptionKey,
});

/** The first key that any of them has made, once all have said so. */
async function firstKeys(services: ServiceProcess[]): Promise<string[]> {
  for (const service of services) await until('it is ready', () => service.output().includes('svc is ready'));
  return services.flatMap((service) => service.firstKey() ?? []);
}

async function versionOf(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  await client.end();
  return rows[0]?.server_version ?? '';
}

describe('on a PostgreSQL 15 server', () => {
  let url: string;
  let nodes: ServiceProcess[];
  let keys: string[];
  beforeAll(async () => {
    url = await server.createDatabase();
    nodes = await Promise.all([start(environmentFor(url)), start(environmentFor(url))]);
    await Promise.all(nodes.map((node) => node.ready()));
    keys = await firstKeys(nodes);
  });
  // Otherwise they would only wait while the server is down.
  afterAll(async () => {
    for (const node of nodes) expect(await node.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it('lets two nodes start together on an empty database, with one first key between them', async () => {
    expect(await versionOf(url)).toMatch(/^15\./);
    expect(keys).toHaveLength(1);
    const [one, other] = nodes.map((node) => node.call(keys[0] ?? ''));
    const created = await one?.('POST /api/v1/bots', { body: bot });
    expect(created?.status).toBe(201);
    expect((await other?.(`GET /api/v1/bots/${created?.body.id}`))?.body).toMatchObject(bot);
    for (const node of nodes) expect(node.output()).not.toContain(server.password);
  });

  it('keeps everything there, even for the next process', async () => {
    const [key = ''] = keys;
    const created = await nodes[0]?.call(key)('POST /api/v1/bots', { body: bot });
    const next = await start(environmentFor(url));
    await next.ready();
    expect((await next.call(key)(`GET /api/v1/bots/${created?.body.id}`)).body).toMatchObject(bot);
    expect(await firstKeys([next])).toEqual([]);
    expect(await next.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it('rejects a key on every node as soon as `svc keys revoke` has ended', async () => {
    const svc = async (...words: string[]) => {
      const result = await runCommand([...words, '--json'], environmentFor(url));
      expect(result, result.stderr).toMatchObject({ code: 0 });
      return JSON.parse(result.stdout);
    };
    const { id, key } = await svc('keys', 'create', '--name', 'shared', '--abilities', 'bots:read');
    const statuses = () =>
      Promise.all(nodes.map(async (node) => (await node.call(key)('GET /api/v1/bots')).status));
    // Twice, so that both nodes cache it.
    expect(await statuses()).toEqual([200, 200]);
    expect(await statuses()).toEqual([200, 200]);
    await svc('keys', 'revoke', id);
    // Far sooner than a cached key would expire.
    await expect.poll(statuses, { timeout: 8_000 }).toEqual([401, 401]);
  });
});

describe('a DATABASE_URL that does not work', () => {
  it('needs an encryption key beside it', async () => {
    const databaseUrl = await server.createDatabase();
    expect(() => readConfig({ DATABASE_URL: databaseUrl })).toThrow(
      /^SVC_ENCRYPTION_KEY is required with DATABASE_URL: [^\n]+\.$/,
    );
  });

  it('is refused with one sentence when its password is wrong', async () => {
    const url = new URL(await server.createDatabase());
    url.password = 'canary-4711';
    const service = await start(environmentFor(url.href));
    await expect.poll(() => service.child.exitCode).toBe(1);
    const output = service.output();
    expect(output).toMatch(/^DATABASE_URL cannot be used[^\n]*password authentication failed[^\n]*\n$/);
    for (const secret of ['canary-4711', server.password, encryptionKey])
      expect(output).not.toContain(secret);
  });

  it('is refused with one sentence when it names no database of the server', async () => {
    const url = (await server.createDatabase()).replace(/\w+$/, 'nowhere');
    const service = await start(environmentFor(url));
    await expect.poll(() => service.child.exitCode).toBe(1);
    expect(service.output()).toMatch(/^DATABASE_URL cannot be used[^\n]*"nowhere" does not exist[^\n]*\n$/);
  });
});

describe('a server that is down', () => {
  let service: ServiceProcess;
  let key: string;
  let whileWaiting: Answer[];
  let stoppedWhileWaiting: { code: number | null };
  beforeAll(async () => {
    const environment = environmentFor(await server.createDatabase());
    await server.stop();
    service = await start(environment);
    const impatient = await start(environment);
    for (const one of [service, impatient])
      await until('it waits', () => one.output().includes('Waiting for the PostgreSQL'));
    whileWaiting = await askAll(service);
    stoppedWhileWaiting = await impatient.end('SIGTERM');
    await server.start();
    await service.ready();
    [key = ''] = await firstKeys([service]);
  });

  it('is waited for at the start', async () => {
    expectAway(whileWaiting);
    expect((await service.call(key)('POST /api/v1/bots', { body: bot })).status).toBe(201);
  });

  it('does not prevent a waiting service from being stopped', () => {
    expect(stoppedWhileWaiting.code).toBe(0);
  });

  it('is waited for when it goes down later, and the service recovers by itself', async () => {
    const call = service.call(key);
    await server.stop();
    await expect.poll(async () => (await call('GET /readyz')).status).toBe(503);
    expectAway(await askAll(service, key));
    await server.start();
    await expect.poll(async () => (await call('GET /readyz')).status).toBe(200);
    expect((await call('POST /api/v1/bots', { body: bot })).status).toBe(201);
  });

  async function askAll(asked: ServiceProcess, as = `svc_sk_${'A'.repeat(43)}`): Promise<Answer[]> {
    const operations = ['GET /healthz', 'GET /readyz', 'GET /api/v1/bots'];
    return Promise.all(operations.map((operation) => asked.call(as)(operation)));
  }

  function expectAway(answers: Answer[]): void {
    const notReady = { status: 503, body: { success: false, code: 'NOT_READY' } };
    expect(answers).toMatchObject([{ status: 200 }, notReady, notReady]);
  }
});
