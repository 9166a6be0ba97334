import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { closeCodes, type HelloFrame } from '@svc/contract/machine-protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type DaemonOptions,
  type MachineDaemon,
  makeRoot,
  startDaemon,
} from '../../server/test/support/machine-daemon.ts';
import { openSocket, type SocketOptions } from '../src/connection/open-socket.ts';
import { operationFrame, startTestService, type TestService, testKey } from './support/test-service.ts';

let service: TestService;
let root: Awaited<ReturnType<typeof makeRoot>>;
let daemons: MachineDaemon[];

beforeEach(async () => {
  [service, root, daemons] = [await startTestService(), await makeRoot(), []];
});
afterEach(async () => {
  for (const daemon of daemons) await daemon.discard();
  await service.close();
  await root.remove();
});

async function start(options: Partial<DaemonOptions> = {}): Promise<MachineDaemon> {
  const daemon = await startDaemon({ url: service.url, key: testKey, roots: [root.path], ...options });
  daemons.push(daemon);
  return daemon;
}

describe('a connected daemon', () => {
  it('introduces itself, works, reconnects and stops cleanly', async () => {
    const daemon = await start();
    const link = await service.accept();
    expect(link.hello).toMatchObject({
      protocol: 1,
      platform: process.platform,
      roots: [root.path],
      sandbox: 'none',
    });
    await daemon.connected();
    expect(daemon.output()).toContain(`connected to ${service.url} as ada-laptop, for work in ${root.path}`);
    expect(daemon.output()).not.toContain('\u001b');

    const id = '0198c2a4-7d10-7c3e-9f4e-000000000001';
    const write = {
      id,
      name: 'write_file',
      workdir: root.path,
      arguments: { path: 'a', content: 'b' },
    } as const;
    const outcome = await link.perform(write);
    expect(outcome).toMatchObject({ status: 'ok' });
    link.socket.terminate();
    const second = await service.accept();
    expect(second.hello.instance_id).toBe(link.hello.instance_id);
    expect(await second.perform(write)).toEqual(outcome);
    await daemon.printed(/trying again in/);
    expect(await daemon.stop('SIGTERM')).toBe(0);
    await second.closed;
  });

  it('answers what it does not understand, and continues', async () => {
    await start();
    const link = await service.accept();
    link.socket.send('nonsense');
    link.socket.send(Buffer.from('{}'), { binary: true });
    link.send({ type: 'greeting' });
    const id = '0198c2a4-7d10-7c3e-9f4e-000000000002';
    expect(await link.perform({ id, name: 'fly' as 'search' })).toMatchObject({
      message: expect.stringContaining('update it'),
    });
    const malformed = { id: id.replace(/2$/, '3'), name: 'search', workdir: 7 as unknown as string } as const;
    expect(await link.perform(malformed)).toMatchObject({ message: expect.stringContaining('malformed') });
    const last = { id: id.replace(/2$/, '4'), name: 'check_workdir', workdir: root.path } as const;
    expect(await link.perform(last)).toMatchObject({ status: 'ok' });
  });

  it('sends a result to the connection that is open when it is there', async () => {
    await start();
    const link = await service.accept();
    const id = '0198c2a4-7d10-7c3e-9f4e-000000000005';
    const command = {
      id,
      name: 'run_command',
      workdir: root.path,
      arguments: { command: 'echo hello; until [ -e go ]; do sleep 0.02; done; echo x >> ran' },
    } as const;
    link.send(operationFrame(command));
    await expect.poll(() => link.frames.some((frame) => frame.type === 'progress')).toBe(true);
    link.socket.terminate();
    const second = await service.accept();
    const outcome = second.perform(command);
    await writeFile(join(root.path, 'go'), '');
    expect(await outcome).toMatchObject({ status: 'ok', value: { exit_code: 0 } });
    const read = {
      id: id.replace(/5$/, '6'),
      name: 'read_file',
      workdir: root.path,
      arguments: { path: 'ran' },
    } as const;
    expect(await second.perform(read)).toMatchObject({ value: { total_lines: 1 } });
    expect(second.resultsOf(id)).toHaveLength(1);
  });

  it('ends a running command when it is stopped, and records that', async () => {
    const daemon = await start();
    const link = await service.accept();
    const id = '0198c2a4-7d10-7c3e-9f4e-000000000007';
    const command = {
      id,
      name: 'run_command',
      workdir: root.path,
      arguments: { command: 'echo go; sleep 600' },
    } as const;
    link.send(operationFrame(command));
    await expect.poll(() => link.frames.some((frame) => frame.type === 'progress')).toBe(true);
    expect(await daemon.stop('SIGINT')).toBe(0);
    const [outcome] = link.resultsOf(id);
    await start({ stateFolder: daemon.stateFolder });
    expect(outcome).toBeDefined();
    expect(await (await service.accept()).perform(command)).toEqual(outcome);
  });

  it('shares its state with no other daemon', async () => {
    const first = await start();
    await first.connected();
    const second = await start({ stateFolder: first.stateFolder });
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`Another svc-machine (process ${first.child.pid})`);
    await first.kill();
    await (await start({ stateFolder: first.stateFolder })).connected();
  });
});

describe('a daemon that should not come back', () => {
  it.each([
    ['revoked', closeCodes.revoked, 'was revoked'],
    ['replaced', closeCodes.replaced, 'Another svc-machine connected'],
    ['not understood', closeCodes.protocolError, 'update it'],
  ])('ends when it is %s', async (_, code, text) => {
    const daemon = await start();
    (await service.accept()).socket.close(code, 'protocol 2\u001b[2J');
    expect(await daemon.ended).toBe(1);
    expect(daemon.output()).toContain(text);
    expect(daemon.output()).not.toContain('\u001b');
    expect(service.attempts()).toBe(1);
  });

  it('ends when its key is wrong', async () => {
    const daemon = await start({ key: testKey.replace('aaa', 'bbb') });
    expect(await daemon.ended).toBe(1);
    expect(daemon.output()).toContain('does not accept the key');
    expect(daemon.output()).not.toContain('bbb');
    expect(service.attempts()).toBe(1);
  });

  it('does not follow a redirect with its key', async () => {
    service.refuseWith(302, { location: 'https://elsewhere.example/' });
    const daemon = await start();
    expect(await daemon.ended).toBe(1);
    expect(daemon.output()).toContain('redirects to https://elsewhere.example/');
  });

  it('can be stopped while it waits for the service', async () => {
    const daemon = await start({ url: 'http://127.0.0.1:1' });
    await daemon.printed(/cannot be reached .*ECONNREFUSED.*; trying again in/);
    expect(await daemon.stop()).toBe(0);
  });

  it('tries again while the service is unwell', async () => {
    service.refuseWith(503);
    const daemon = await start();
    await daemon.printed(/status 503; trying again in/);
    service.refuseWith(undefined);
    await daemon.connected();
  });
});

describe('a socket', () => {
  const hello: HelloFrame = {
    type: 'hello',
    protocol: 1,
    instance_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8ea2',
    version: '0',
    platform: 'linux',
    roots: ['/'],
    sandbox: 'none',
  };

  function open(options: Partial<SocketOptions>) {
    return openSocket({
      url: `${service.url.replace('http', 'ws')}/api/machines/connect`,
      key: testKey,
      hello,
      onWelcome: () => undefined,
      onFrame: () => undefined,
      onTrouble: () => undefined,
      ...options,
    });
  }

  it('is given up when nothing is heard', async () => {
    const socket = open({ silenceMs: 600 });
    const link = await service.accept();
    // It answers pings for longer than that, then it is silent like a host whose power was cut.
    for (let pings = 0; pings < 4; pings += 1) await once(link.socket, 'ping');
    link.socket.pause();
    expect(await socket.ended).toMatchObject({
      isFinal: false,
      reason: expect.stringContaining('nothing was heard'),
    });
  });

  it('is given up after a sleep of the machine, with the frames that have waited meanwhile', async () => {
    const received: string[] = [];
    const socket = open({ onFrame: ({ id }) => received.push(id) });
    const link = await service.accept();
    const id = '0198c2a4-7d10-7c3e-9f4e-000000000009';
    link.send({ type: 'cancel', id });
    await expect.poll(() => received).toEqual([id]);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    link.send({ type: 'cancel', id });
    expect(await socket.ended).toMatchObject({
      isFinal: false,
      reason: expect.stringContaining('suspended'),
    });
    expect(received).toEqual([id]);
    vi.useRealTimers();
  });
});
