import { randomInt, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationFrame } from '@svc/contract/machine-protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MachineDaemon, makeRoot, startDaemon } from '../../server/test/support/machine-daemon.ts';
import { fewer } from '../../server/test/support/sample.ts';
import {
  type Link,
  operationFrame,
  startTestService,
  type TestService,
  testKey,
} from './support/test-service.ts';

let service: TestService;
let root: Awaited<ReturnType<typeof makeRoot>>;
let daemon: MachineDaemon;
let link: Link;

beforeEach(async () => {
  [service, root] = [await startTestService(), await makeRoot()];
  daemon = await startDaemon({ url: service.url, key: testKey, roots: [root.path] });
  link = await service.accept();
});
afterEach(async () => {
  await daemon.discard();
  await service.close();
  await root.remove();
});

async function restart(): Promise<void> {
  await daemon.kill();
  const { stateFolder } = daemon;
  daemon = await startDaemon({ url: service.url, key: testKey, roots: [root.path], stateFolder });
  const instance = link.hello.instance_id;
  link = await service.accept();
  expect(link.hello.instance_id).toBe(instance);
}

const command = (text: string): OperationFrame =>
  operationFrame({
    id: randomUUID(),
    name: 'run_command',
    workdir: root.path,
    arguments: { command: text },
  });
const record = (folder: 'started' | 'finished', name: string) =>
  join(daemon.stateFolder, 'operations', folder, name);
const countLines = async (file: string) => {
  const path = join(root.path, file);
  return existsSync(path) ? (await readFile(path, 'utf8')).split('\n').length - 1 : 0;
};

describe('an operation that is sent again after kill -9 of the daemon', () => {
  it('runs for the first time if it had not arrived', async () => {
    const frame = command('echo once >> ran');
    daemon.child.kill('SIGSTOP');
    link.send(frame);
    await restart();
    expect(await link.perform(frame)).toMatchObject({ status: 'ok', value: { exit_code: 0 } });
    expect(await countLines('ran')).toBe(1);
  });

  it('is unknown if it was running', async () => {
    const frame = command('echo once >> ran; sleep 600');
    link.send(frame);
    await expect.poll(() => countLines('ran')).toBe(1);
    await restart();
    await daemon.printed(/run_command .* was interrupted: outcome unknown/);
    expect(await link.perform(frame)).toMatchObject({ status: 'unknown' });
    expect(await countLines('ran')).toBe(1);
    await restart();
    expect(await link.perform(frame)).toMatchObject({ status: 'unknown' });
  });

  it('runs for the first time if it was waiting', async () => {
    const second = command('echo two >> second');
    // As many as run at the same time.
    for (let count = 0; count < 8; count++) link.send(command('echo one >> first; sleep 600'));
    link.send(second);
    await expect.poll(() => countLines('first')).toBe(8);
    expect(await countLines('second')).toBe(0);
    await restart();
    expect(await link.perform(second)).toMatchObject({ status: 'ok' });
    expect([await countLines('first'), await countLines('second')]).toEqual([8, 1]);
  });

  it('has its result if it was finished', async () => {
    const frame = command('echo once >> ran; echo hello');
    link.send(frame);
    await expect.poll(() => existsSync(record('finished', `${frame.id}.json`))).toBe(true);
    await restart();
    expect(await link.perform(frame)).toMatchObject({ status: 'ok', value: { output: 'hello\n' } });
    expect(await countLines('ran')).toBe(1);
  });

  it('never runs if it was cancelled before', async () => {
    const frame = command('echo once >> ran');
    link.send({ type: 'cancel', id: frame.id });
    await expect.poll(() => existsSync(record('finished', `${frame.id}.json`))).toBe(true);
    await restart();
    expect(await link.perform(frame)).toMatchObject({ status: 'error' });
    expect(await countLines('ran')).toBe(0);
  });

  it('has happened as its outcome says, whenever the daemon was killed', async () => {
    for (let round = 0; round < fewer(8); round++) {
      const isCommand = round % 2 === 0;
      const file = `file-${round}`;
      const frame = isCommand
        ? command(`echo once >> ${file}`)
        : operationFrame({
            id: randomUUID(),
            name: 'write_file',
            workdir: root.path,
            arguments: { path: file, content: 'once\n' },
          });
      link.send(frame);
      const delay = randomInt(0, 60);
      await sleep(delay);
      await restart();
      const { status } = await link.perform(frame);
      const lines = await countLines(file);
      // A write is all or nothing, so its outcome is always known.
      const allowed = { ok: [1], error: [0], unknown: isCommand ? [0, 1] : [] }[status];
      expect(allowed, `${frame.name}: ${status} after ${delay} ms, ${lines} lines`).toContain(lines);
    }
  });
});
