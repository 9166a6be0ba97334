import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Machine, PairedMachine } from '@svc/contract/machines';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { daemonFile, type MachineDaemon, makeRoot, startDaemon } from '../support/machine-daemon.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
let root: Awaited<ReturnType<typeof makeRoot>>;
const daemons: MachineDaemon[] = [];

beforeAll(async () => {
  [service, root] = await Promise.all([startTestApp(), makeRoot()]);
});
afterEach(async () => {
  for (const daemon of daemons.splice(0)) await daemon.discard();
});
afterAll(async () => {
  await service.stop();
  await root.remove();
});

async function pair(): Promise<PairedMachine> {
  return (await service.call('POST /api/v1/machines', { body: { name: 'ada-laptop' } }))
    .body as PairedMachine;
}

async function start(key: string): Promise<MachineDaemon> {
  const daemon = await startDaemon({ url: service.url, key, roots: [root.path] });
  daemons.push(daemon);
  return daemon;
}

async function find(id: string): Promise<Machine | undefined> {
  const { body } = await service.call('GET /api/v1/machines');
  return (body as Machine[]).find((machine) => machine.id === id);
}

it('a daemon makes its machine online until it stops', async () => {
  const { id, token } = await pair();
  const daemon = await start(token);
  await daemon.connected();
  expect(daemon.output()).toContain('as ada-laptop');
  expect(daemon.output()).not.toContain(token);
  expect(await find(id)).toMatchObject({ status: 'online', roots: [root.path], platform: process.platform });
  expect(await daemon.stop()).toBe(0);
  await expect.poll(async () => (await find(id))?.status).toBe('offline');
});

it('a daemon ends within a second when its machine is revoked, and its key is refused from then on', async () => {
  const { id, token } = await pair();
  const daemon = await start(token);
  await daemon.connected();
  await service.call(`DELETE /api/v1/machines/${id}`);
  expect(await daemon.ended).toBe(1);
  expect(daemon.output()).toContain('This machine was revoked');
  const next = await start(token);
  expect(await next.ended).toBe(1);
  expect(next.output()).toContain('does not accept the key');
});

it('a daemon that is replaced ends, and the newer one stays', async () => {
  const { id, token } = await pair();
  const older = await start(token);
  await older.connected();
  const newer = await start(token);
  expect(await older.ended).toBe(1);
  expect(older.output()).toContain('Another svc-machine connected with the same key');
  await newer.connected();
  expect(await find(id)).toMatchObject({ status: 'online' });
});

it('whoami names the machine', async () => {
  const { id, token } = await pair();
  const args = [daemonFile, 'whoami', '--url', service.url];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { SVC_MACHINE_KEY: token } });
  expect(stdout).toBe(`ada-laptop (${id})\n`);
});
