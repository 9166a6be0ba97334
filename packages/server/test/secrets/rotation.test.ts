import { spawn } from 'node:child_process';
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { type OpenedDatabase, openConfiguredDatabase } from '../../src/database/open-configured-database.ts';
import { bundledCommand, inherited, makeDataDirectory, runCommand } from '../support/service-process.ts';
import type { Call } from '../support/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';
import { countWaitingForLocks } from '../support/waiting-for-locks.ts';

const mail = {
  tool_type: 'send_email',
  name: 'Mail',
  description: 'x',
  configuration: { host: 'mail.example.com', username: 'bot', from: 'bot@example.com' },
};
const withSecret = { ...mail, configuration: { ...mail.configuration, password: 'kept' } };
const newKey = () => randomBytes(32).toString('base64');

let data: Awaited<ReturnType<typeof makeDataDirectory>>;
let embedded: OpenedDatabase;
let service: (TestNode & { end(): Promise<void> }) | undefined;
beforeAll(async () => {
  data = await makeDataDirectory();
  // Its server runs until this is closed, so that it need not start again with every service.
  embedded = await open(ownDatabase());
});
afterEach(() => service?.end());
afterAll(async () => {
  await embedded.close();
  await data.remove();
});

/** With a database of its own, the keys are files. */
const ownDatabase = () => ({ SVC_DATA_DIR: data.path });
const keyFiles = async () => (await readdir(data.path)).filter((name) => name.startsWith('encryption-key'));

/** Reads the configured keys as every process does. */
const open = (environment: Record<string, string>) =>
  openConfiguredDatabase({
    config: readConfig(environment),
    role: 'command',
    onProgress: () => undefined,
    onConnectionError: () => undefined,
  });

async function start(environment: Record<string, string>): Promise<Call> {
  const { database, keyRing, close } = await open(environment);
  const node = await startNode({ database, keyRing, environment });
  const end = async () => {
    service = undefined;
    await node.stop();
    await close();
  };
  service = { ...node, end };
  return node.call;
}

async function rotate(words: string[], environment: Record<string, string>) {
  const result = await runCommand(['secrets', 'rotate', '--json', ...words], environment);
  expect(result, result.stderr).toMatchObject({ code: 0 });
  return JSON.parse(result.stdout);
}

const create = (call: Call, idempotencyKey: string) =>
  call('POST /api/v1/tools', { body: withSecret, headers: { 'idempotency-key': idempotencyKey } });

/** Changing another field decrypts the stored secret, because the whole configuration is checked. */
async function expectReadable(call: Call, id: string): Promise<void> {
  expect(
    (await call(`PUT /api/v1/tools/${id}`, { body: { configuration: mail.configuration } })).status,
  ).toBe(200);
  expect((await call(`GET /api/v1/tools/${id}`)).body.secrets_set).toEqual(['password']);
}

/** A widget key with an identity secret. Returns a request of a user that the secret vouches for. */
async function createSignedVisitor(call: Call) {
  const { body: bot } = await call('POST /api/v1/bots', { body: { name: 'Helper', system_prompt: 'x' } });
  const { body: widgetKey } = await call(`POST /api/v1/widgets/test-key?bot_id=${bot.id}`);
  const { body: secret } = await call(`POST /api/v1/widgets/keys/${widgetKey.id}/identity-secret`);
  const userHash = createHmac('sha256', secret.identity_secret).update('ann').digest('hex');
  return (callLater: Call) =>
    callLater(`POST /api/widget/token?key=${widgetKey.api_key}`, {
      key: null,
      headers: { origin: service?.url ?? '' },
      body: { user_id: 'ann', user_hash: userHash },
    });
}

describe('svc secrets rotate with configured keys', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    await service?.end();
    await database.drop();
  });
  const server = () => ({ DATABASE_URL: database.environment.DATABASE_URL });

  it('moves everything to a configured new key, so that the old one is no longer needed', async () => {
    const [old, fresh] = [newKey(), newKey()];
    const first = await start({ ...server(), SVC_ENCRYPTION_KEY: old });
    const replay = randomUUID();
    const { body } = await create(first, replay);
    const requestToken = await createSignedVisitor(first);
    await service?.end();

    const both = { ...server(), SVC_ENCRYPTION_KEY: fresh, SVC_ENCRYPTION_KEY_PREVIOUS: old };
    const between = await start(both);
    await expectReadable(between, body.id);
    expect(await create(between, replay)).toMatchObject({ status: 201, body });
    expect(await rotate([], both)).toEqual({ secrets: 1, answers: 1, generated: false });
    expect(await rotate([], both)).toEqual({ secrets: 1, answers: 1, generated: false });
    await service?.end();

    const last = await start({ ...server(), SVC_ENCRYPTION_KEY: fresh });
    await expectReadable(last, body.id);
    expect(await requestToken(last)).toMatchObject({ status: 201, body: { visitor_id: 'ann' } });
    expect(await create(last, replay)).toMatchObject({ status: 201, body });
    const other = { ...withSecret, name: 'Other' };
    const mismatch = { body: other, headers: { 'idempotency-key': replay } };
    expect(await last('POST /api/v1/tools', mismatch)).toMatchObject({ status: 409 });
  });

  it('changes nothing when a key is missing, and prints what to do', async () => {
    const call = await start({ ...server(), SVC_ENCRYPTION_KEY: newKey() });
    const { body } = await create(call, randomUUID());
    const wrong = { ...server(), SVC_ENCRYPTION_KEY: newKey() };
    const refused = await runCommand(['secrets', 'rotate'], wrong);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('no longer configured');
    expect(refused.stderr).toContain('SVC_ENCRYPTION_KEY_PREVIOUS');
    await expectReadable(call, body.id);

    const generate = await runCommand(['secrets', 'rotate', '--generate'], wrong);
    expect(generate.code).toBe(1);
    expect(generate.stderr).toContain('SVC_ENCRYPTION_KEY');
  });
});

describe('svc secrets rotate with a key file', () => {
  it('creates a new key file while the service runs, without disturbing it', async () => {
    const call = await start(ownDatabase());
    const { body } = await create(call, randomUUID());
    const replay = randomUUID();
    const second = await create(call, replay);

    const ids: string[] = [];
    const done = new AbortController();
    const busy = (async () => {
      while (!done.signal.aborted) {
        const made = await create(call, randomUUID());
        expect(made.status).toBe(201);
        ids.push(made.body.id);
        await delay(50);
      }
    })();
    for (let round = 0; round < 2; round += 1) await rotate(['--generate'], ownDatabase());
    done.abort();
    await busy;
    expect(ids.length).toBeGreaterThan(5);

    for (const id of [body.id, second.body.id, ...ids]) await expectReadable(call, id);
    expect(await create(call, replay)).toMatchObject({ status: 201, body: second.body });
    expect(await keyFiles()).toEqual(['encryption-key']);
    await service?.end();

    const restarted = await start(ownDatabase());
    for (const id of [body.id, second.body.id, ...ids]) await expectReadable(restarted, id);
    expect(await create(restarted, replay)).toMatchObject({ status: 201, body: second.body });
  });

  it('leaves everything readable when it is killed in the middle', async () => {
    const call = await start(ownDatabase());
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.push((await create(call, randomUUID())).body.id);
    const startedAt = performance.now();
    await rotate(['--generate'], ownDatabase());
    const took = performance.now() - startedAt;

    await killWhileItWaits();
    for (const id of ids) await expectReadable(call, id);
    expect(await keyFiles()).toContain('encryption-key.previous');
    for (let round = 0; round < 3; round += 1) {
      const ending = startRotation();
      await delay(took * (0.5 + Math.random() / 2));
      await ending.kill();
      for (const id of ids) await expectReadable(call, id);
    }
    await service?.end();

    const restarted = await start(ownDatabase());
    for (const id of ids) await expectReadable(restarted, id);
    await rotate([], ownDatabase());
    expect((await keyFiles()).filter((name) => !name.endsWith('.new'))).toEqual(['encryption-key']);
    for (const id of ids) await expectReadable(restarted, id);
  });
});

/** Kills a rotation that has created the new key, while it waits for the locked row of a secret. */
async function killWhileItWaits(): Promise<void> {
  const { database } = embedded;
  await database.acrossWorkspaces.transaction(async (tx) => {
    await tx.execute('select 1 from tool_secrets for update');
    const rotation = startRotation();
    await expect.poll(() => countWaitingForLocks(database, 'tool_secrets')).toBe(1);
    expect(await keyFiles()).toContain('encryption-key.previous');
    await rotation.kill();
  });
}

function startRotation(): { kill(): Promise<void> } {
  const child = spawn(process.execPath, [bundledCommand, 'secrets', 'rotate', '--generate'], {
    env: { ...inherited, ...ownDatabase() },
    stdio: 'ignore',
  });
  const ended = once(child, 'close');
  return {
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
