import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runCommand, type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { createPostgres15, type PostgresServer } from './postgres-15.ts';

const encryptionKey = randomBytes(32).toString('base64');
const bot = { name: 'Kept', system_prompt: 'x' };
const running: ServiceProcess[] = [];
let server: PostgresServer;

beforeAll(async () => {
  server = await createPostgres15();
  await server.start();
});
afterEach(async () => {
  for (const service of running.splice(0)) await service.end('SIGKILL');
});
afterAll(() => server.remove());

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
  for (const service of services) await expect.poll(() => service.output()).toContain('svc is ready');
  return services.flatMap((service) => service.firstKey() ?? []);
}

async function startTwo(databaseUrl: string): Promise<{ nodes: ServiceProcess[]; key: string }> {
  const nodes = await Promise.all([start(environmentFor(databaseUrl)), start(environmentFor(databaseUrl))]);
  await Promise.all(nodes.map((node) => node.ready()));
  const keys = await firstKeys(nodes);
  expect(keys).toHaveLength(1);
  return { nodes, key: keys[0] ?? '' };
}

async function versionOf(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  await client.end();
  return rows[0]?.server_version ?? '';
}

async function endOf(service: ServiceProcess): Promise<string> {
  await expect.poll(() => service.child.exitCode, { timeout: 20_000 }).toBe(1);
  return service.output();
}

describe('on a PostgreSQL 15 server', () => {
  it('keeps everything there, even for the next process', async () => {
    const url = await server.createDatabase();
    expect(await versionOf(url)).toMatch(/^15\./);
    const first = await start(environmentFor(url));
    await first.ready();
    const [key = ''] = await firstKeys([first]);
    const created = await first.call(key)('POST /api/v1/bots', { body: bot });
    expect(created.status).toBe(201);
    expect((await first.call(key)('GET /api/v1/bots')).body).toMatchObject([bot]);
    expect(first.output()).not.toContain(server.password);
    expect(await first.end('SIGTERM')).toEqual({ code: 0, signal: null });

    const second = await start(environmentFor(url));
    await second.ready();
    expect((await second.call(key)(`GET /api/v1/bots/${created.body.id}`)).body).toMatchObject(bot);
    expect(await firstKeys([second])).toEqual([]);
  });

  it('lets two nodes start together on an empty database, with one first key between them', async () => {
    const { nodes, key } = await startTwo(await server.createDatabase());
    const [one, other] = nodes.map((node) => node.call(key));
    expect((await one?.('POST /api/v1/bots', { body: bot }))?.status).toBe(201);
    expect((await other?.('GET /api/v1/bots'))?.body).toMatchObject([bot]);
  });

  it('rejects a key on every node as soon as `svc keys revoke` has ended', async () => {
    const url = await server.createDatabase();
    const { nodes } = await startTwo(url);
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
    await expect.poll(statuses, { interval: 10, timeout: 2_000 }).toEqual([401, 401]);
  });
});

describe('a DATABASE_URL that does not work', () => {
  it('needs an encryption key beside it', async () => {
    const service = await start({ DATABASE_URL: await server.createDatabase() });
    expect(await endOf(service)).toMatch(/^SVC_ENCRYPTION_KEY is required with DATABASE_URL: [^\n]+\.\n$/);
  });

  it('is refused with one sentence when its password is wrong', async () => {
    const url = new URL(await server.createDatabase());
    url.password = 'canary-4711';
    const output = await endOf(await start(environmentFor(url.href)));
    expect(output).toMatch(/^DATABASE_URL cannot be used[^\n]*password authentication failed[^\n]*\n$/);
    for (const secret of ['canary-4711', server.password, encryptionKey])
      expect(output).not.toContain(secret);
  });

  it('is refused with one sentence when it names no database of the server', async () => {
    const url = (await server.createDatabase()).replace(/\w+$/, 'nowhere');
    const output = await endOf(await start(environmentFor(url)));
    expect(output).toMatch(/^DATABASE_URL cannot be used[^\n]*"nowhere" does not exist[^\n]*\n$/);
  });
});

describe('a server that is down', () => {
  it('is waited for at the start', async () => {
    const url = await server.createDatabase();
    await server.stop();
    const service = await start(environmentFor(url));
    await expect.poll(() => service.output(), { timeout: 20_000 }).toContain('Waiting for the PostgreSQL');
    await expectAway(service);
    await server.start();
    await service.ready();
    const [key = ''] = await firstKeys([service]);
    expect((await service.call(key)('POST /api/v1/bots', { body: bot })).status).toBe(201);
  });

  it('does not prevent a waiting service from being stopped', async () => {
    const url = await server.createDatabase();
    await server.stop();
    try {
      const service = await start(environmentFor(url));
      await expect.poll(() => service.output(), { timeout: 20_000 }).toContain('Waiting for the PostgreSQL');
      const asked = performance.now();
      expect((await service.end('SIGTERM')).code).toBe(0);
      expect(performance.now() - asked).toBeLessThan(5_000);
    } finally {
      await server.start();
    }
  });

  it('is waited for when it goes down later, and the service recovers by itself', async () => {
    const service = await start(environmentFor(await server.createDatabase()));
    await service.ready();
    const [key = ''] = await firstKeys([service]);
    const call = service.call(key);
    await server.stop();
    await expect.poll(async () => (await call('GET /readyz')).status).toBe(503);
    await expectAway(service, key);
    await server.start();
    await expect.poll(async () => (await call('GET /readyz')).status, { timeout: 20_000 }).toBe(200);
    expect((await call('POST /api/v1/bots', { body: bot })).status).toBe(201);
  });
});

async function expectAway(service: ServiceProcess, key = `svc_sk_${'A'.repeat(43)}`): Promise<void> {
  const call = service.call(key);
  expect((await call('GET /healthz')).status).toBe(200);
  for (const operation of ['GET /readyz', 'GET /api/v1/bots']) {
    expect(await call(operation)).toMatchObject({ status: 503, body: { success: false, code: 'NOT_READY' } });
  }
}
