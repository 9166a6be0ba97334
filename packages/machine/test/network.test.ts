import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { makeRoot, startDaemon } from '../../server/test/support/machine-daemon.ts';
import { openNetwork } from '../src/commands/sandbox/network.ts';
import { isSandboxPossible } from './support/sandbox-possible.ts';
import { startTestService, testKey } from './support/test-service.ts';
import { useCommands } from './support/use-commands.ts';

const hasHelper = isSandboxPossible && spawnSync('slirp4netns', ['--version']).status === 0;
if (!hasHelper) process.stderr.write('Skipped: the network of the sandbox. slirp4netns is not installed.\n');

/** A service of the machine that only the machine itself is meant to reach, and one that others can reach too. */
let own: Server;
let open: Server;

beforeAll(async () => {
  own = createServer((_request, response) => response.end('only for this machine'));
  open = createServer((_request, response) => response.end('for everybody'));
  own.listen(0, '127.0.0.1');
  open.listen(0, '0.0.0.0');
  await Promise.all([once(own, 'listening'), once(open, 'listening')]);
});
afterAll(() => {
  own.close();
  open.close();
});

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const outward = Object.values(networkInterfaces())
  .flat()
  .find((one) => one && !one.internal && one.family === 'IPv4')?.address;
const get = (address: string, server: Server) =>
  `node -e "fetch('http://${address}:${portOf(server)}').then((r) => r.text()).then(console.log, () => console.log('not reached'))"`;

describe.skipIf(!hasHelper)('commands with --allow-network', () => {
  it('reach other machines, but nothing that listens on 127.0.0.1 of this one', async () => {
    const { root, stateFolder } = await useCommands({ isSandboxed: false });
    const network = await openNetwork({ roots: [root], stateFolder, environment: process.env });
    onTestFinished(() => network.close());
    const { run } = await useCommands({ isSandboxed: true, network });
    // 10.0.2.2 is the machine as its network sees it.
    for (const address of ['127.0.0.1', 'localhost', '10.0.2.2'])
      expect((await run(get(address, own))).output, address).toBe('not reached\n');
    if (outward) expect((await run(get(outward, open))).output).toBe('for everybody\n');
    expect((await run('cat /etc/resolv.conf')).output).toBe('nameserver 10.0.2.3\n');
    const host = await useCommands({ isSandboxed: true, network: 'host' });
    expect((await host.run(get('127.0.0.1', own))).output).toBe('only for this machine\n');
  });
});

it.skipIf(!isSandboxPossible)('a single command gets the network, or is told what is missing', async () => {
  const [service, root] = [await startTestService(), await makeRoot()];
  const daemon = await startDaemon({ url: service.url, key: testKey, roots: [root.path], isSandboxed: true });
  const link = await service.accept();
  const run = (given: object) =>
    link.perform({
      id: randomUUID(),
      name: 'run_command',
      workdir: root.path,
      arguments: { command: get(outward ?? '10.0.2.2', open), ...given },
    });
  expect(await run({})).toMatchObject({ status: 'ok', value: { output: 'not reached\n' } });
  const allowed = hasHelper
    ? { status: 'ok', value: { output: outward ? 'for everybody\n' : expect.anything() } }
    : { status: 'error', message: expect.stringContaining('slirp4netns') };
  expect(await run({ network: true })).toMatchObject(allowed);
  expect(await run({})).toMatchObject({ status: 'ok', value: { output: 'not reached\n' } });
  await daemon.discard();
  await service.close();
  await root.remove();
});

it.skipIf(!isSandboxPossible)('--allow-network is refused if there is no program for it', async () => {
  const [service, root] = [await startTestService(), await makeRoot()];
  const daemon = await startDaemon({
    url: service.url,
    key: testKey,
    roots: [root.path],
    isSandboxed: true,
    args: ['--allow-network'],
    environment: { PATH: '/nowhere' },
  });
  expect(await daemon.ended).toBe(1);
  expect(daemon.output()).toMatch(/slirp4netns is not installed.*--allow-network=host/s);
  await daemon.discard();
  await service.close();
  await root.remove();
});
