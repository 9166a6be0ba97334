import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { runCommand, type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { type PgBouncer, startPgBouncer } from './pgbouncer.ts';
import { createPostgres15, type PostgresServer } from './postgres-15.ts';

let server: PostgresServer;
let bouncer: PgBouncer;
let service: ServiceProcess;

beforeAll(async () => {
  server = await createPostgres15();
  await server.start();
});
afterEach(async () => {
  await service.end('SIGKILL');
  await bouncer.stop();
});
afterAll(() => server.remove());

it('works in front of PostgreSQL if it pools sessions', async () => {
  bouncer = await startPgBouncer(await server.createDatabase(), 'session');
  const environment = {
    DATABASE_URL: bouncer.url,
    SVC_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
  service = await startServiceProcess(environment);
  await service.ready();
  const made = await runCommand(
    ['keys', 'create', '--name', 'pooled', '--abilities', 'all', '--json'],
    environment,
  );
  const { id, key } = JSON.parse(made.stdout) as { id: string; key: string };
  const call = service.call(key);
  const knowledge = { content_type: 'text', title: 'Parcels', content: 'A parcel takes two weeks.' };
  const source = await call('POST /api/v1/knowledge', { body: knowledge });
  // A background job.
  await expect
    .poll(async () => (await call(`GET /api/v1/knowledge/${source.body.id}`)).body.processing_status)
    .toBe('completed');
  const bot = await call('POST /api/v1/bots', { body: { name: 'Support', system_prompt: 'Be kind.' } });
  const answer = await fetch(`${service.url}/api/v1/chat/send-stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      bot_id: bot.body.id,
      external_user_id: 'ada',
      message: 'How long does a parcel take?',
    }),
  });
  expect(await answer.text()).toMatch(/two weeks[^]*event: turn\.completed/);
  // A notification.
  await runCommand(['keys', 'revoke', id], environment);
  await expect.poll(async () => (await call('GET /api/v1/bots')).status, { timeout: 8_000 }).toBe(401);
  expect(await service.end('SIGTERM')).toMatchObject({ code: 0 });
});

it.each([0, 6])('is refused with one sentence if it pools transactions, beside %i others', async (others) => {
  bouncer = await startPgBouncer(await server.createDatabase(), 'transaction');
  const stopping = new AbortController();
  const working = Array.from({ length: others }, () => useUntil(stopping.signal, bouncer.url));
  const encryptionKey = randomBytes(32).toString('base64');
  service = await startServiceProcess({ DATABASE_URL: bouncer.url, SVC_ENCRYPTION_KEY: encryptionKey });
  await expect.poll(() => service.child.exitCode).toBe(1);
  expect(service.output()).toMatch(/^DATABASE_URL cannot be used[^\n]*pool_mode = session[^\n]*\n$/);
  stopping.abort();
  await Promise.all(working);
});

/** Another service behind the same pooler. */
async function useUntil(signal: AbortSignal, url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  while (!signal.aborted) await client.query('select pg_sleep(0.003)');
  await client.end();
}
