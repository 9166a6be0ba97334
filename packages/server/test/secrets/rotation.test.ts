import { spawn } from 'node:child_process';
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { openConfiguredDatabase } from '../../src/database/open-configured-database.ts';
import {
  makeDataDirectory,
  runCommand,
  type ServiceProcess,
  startServiceProcess,
  stopLeftBehind,
} from '../support/service-process.ts';
import type { Call } from '../support/test-app.ts';

const key = `svc_sk_${'r'.repeat(40)}`;
const mail = {
  tool_type: 'send_email',
  name: 'Mail',
  description: 'x',
  configuration: { host: 'mail.example.com', username: 'bot', from: 'bot@example.com' },
};
const withSecret = { ...mail, configuration: { ...mail.configuration, password: 'kept' } };
const newKey = () => randomBytes(32).toString('base64');

let data: Awaited<ReturnType<typeof makeDataDirectory>>;
let service: ServiceProcess | undefined;
beforeEach(async () => {
  data = await makeDataDirectory();
});
afterEach(async () => {
  if (service?.child.exitCode === null && service.child.signalCode === null) await service.end('SIGTERM');
  await stopLeftBehind(data.path);
  await data.remove();
});

const environment = () => ({ SVC_DATA_DIR: data.path, SVC_BOOTSTRAP_KEY: key });
const keyFiles = async () => (await readdir(data.path)).filter((name) => name.startsWith('encryption-key'));

async function start(more: Record<string, string> = {}): Promise<Call> {
  service = await startServiceProcess({ ...environment(), ...more });
  await service.ready();
  return service.call(key);
}

async function rotate(words: string[] = [], more: Record<string, string> = {}) {
  const result = await runCommand(['secrets', 'rotate', '--json', ...words], { ...environment(), ...more });
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

describe('svc secrets rotate', () => {
  it('moves everything to a configured new key, so that the old one is no longer needed', async () => {
    const [old, fresh] = [newKey(), newKey()];
    const first = await start({ SVC_ENCRYPTION_KEY: old });
    const replay = randomUUID();
    const { body } = await create(first, replay);
    const requestToken = await createSignedVisitor(first);
    await service?.end('SIGTERM');

    const both = { SVC_ENCRYPTION_KEY: fresh, SVC_ENCRYPTION_KEY_PREVIOUS: old };
    const between = await start(both);
    await expectReadable(between, body.id);
    expect(await create(between, replay)).toMatchObject({ status: 201, body });
    expect(await rotate([], both)).toEqual({ secrets: 1, answers: 1, generated: false });
    expect(await rotate([], both)).toEqual({ secrets: 1, answers: 1, generated: false });
    await service?.end('SIGTERM');

    const last = await start({ SVC_ENCRYPTION_KEY: fresh });
    await expectReadable(last, body.id);
    expect(await requestToken(last)).toMatchObject({ status: 201, body: { visitor_id: 'ann' } });
    expect(await create(last, replay)).toMatchObject({ status: 201, body });
    const other = { ...withSecret, name: 'Other' };
    const mismatch = { body: other, headers: { 'idempotency-key': replay } };
    expect(await last('POST /api/v1/tools', mismatch)).toMatchObject({ status: 409 });
  });

  it('changes nothing when a key is missing, and prints what to do', async () => {
    const call = await start({ SVC_ENCRYPTION_KEY: newKey() });
    const { body } = await create(call, randomUUID());
    const wrong = { ...environment(), SVC_ENCRYPTION_KEY: newKey() };
    const refused = await runCommand(['secrets', 'rotate'], wrong);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('no longer configured');
    expect(refused.stderr).toContain('SVC_ENCRYPTION_KEY_PREVIOUS');
    await expectReadable(call, body.id);

    const generate = await runCommand(['secrets', 'rotate', '--generate'], wrong);
    expect(generate.code).toBe(1);
    expect(generate.stderr).toContain('SVC_ENCRYPTION_KEY');
  });

  it('creates a new key file while the service runs, without disturbing it', async () => {
    const call = await start();
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
        await delay(20);
      }
    })();
    for (let round = 0; round < 2; round += 1) await rotate(['--generate']);
    done.abort();
    await busy;
    expect(ids.length).toBeGreaterThan(5);

    for (const id of [body.id, second.body.id, ...ids]) await expectReadable(call, id);
    expect(await create(call, replay)).toMatchObject({ status: 201, body: second.body });
    expect(await keyFiles()).toEqual(['encryption-key']);
    await service?.end('SIGTERM');

    const restarted = await start();
    for (const id of [body.id, second.body.id, ...ids]) await expectReadable(restarted, id);
    expect(await create(restarted, replay)).toMatchObject({ status: 201, body: second.body });
  });

  it('leaves everything readable when it is killed in the middle', async () => {
    const call = await start();
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.push((await create(call, randomUUID())).body.id);
    const startedAt = performance.now();
    await rotate(['--generate']);
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
    await service?.end('SIGKILL');

    const restarted = await start();
    for (const id of ids) await expectReadable(restarted, id);
    await rotate();
    expect((await keyFiles()).filter((name) => !name.endsWith('.new'))).toEqual(['encryption-key']);
    for (const id of ids) await expectReadable(restarted, id);
  });
});

/** Kills a rotation that has created the new key, while it waits for the locked row of a secret. */
async function killWhileItWaits(): Promise<void> {
  const opened = await openConfiguredDatabase({
    config: readConfig(environment()),
    role: 'command',
    onProgress: () => undefined,
    onConnectionError: () => undefined,
  });
  try {
    await opened.database.acrossWorkspaces.transaction(async (tx) => {
      await tx.execute('select 1 from tool_secrets for update');
      const rotation = startRotation();
      const isThere = () => stat(join(data.path, 'encryption-key.previous')).catch(() => undefined);
      while (!(await isThere())) await delay(20);
      await delay(200);
      await rotation.kill();
    });
  } finally {
    await opened.close();
  }
}

function startRotation(): { kill(): Promise<void> } {
  const command = join(import.meta.dirname, '../../bin/svc.mjs');
  const child = spawn(process.execPath, [command, 'secrets', 'rotate', '--generate'], {
    env: { PATH: process.env['PATH'], ...environment() },
    stdio: 'ignore',
    detached: true,
  });
  const ended = once(child, 'close');
  return {
    async kill() {
      // The launcher and its child process.
      if (child.exitCode === null && child.pid) process.kill(-child.pid, 'SIGKILL');
      await ended;
    },
  };
}
