import { randomInt, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationFrame } from '@svc/contract/machine-protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../server/test/support/faults/until.ts';
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

/** One operation of each kind, all sent before the daemon is killed. */
const sent = {} as Record<'finished' | 'cancelled' | 'running' | 'waiting' | 'unread', OperationFrame>;

beforeAll(async () => {
  [service, root] = [await startTestService(), await makeRoot()];
  daemon = await startDaemon({ url: service.url, key: testKey, roots: [root.path] });
  link = await service.accept();
  sent.finished = command('echo once >> finished; echo hello');
  link.send(sent.finished);
  sent.cancelled = command('echo once >> cancelled');
  link.send({ type: 'cancel', id: sent.cancelled.id });
  for (const { id } of [sent.finished, sent.cancelled])
    await until('it is recorded as finished', () => existsSync(record('finished', `${id}.json`)));
  sent.running = command('echo once >> running; sleep 600');
  link.send(sent.running);
  // With these, as many as run at the same time.
  for (let count = 0; count < 7; count++) link.send(command('echo one >> others; sleep 600'));
  sent.waiting = command('echo two >> waiting');
  link.send(sent.waiting);
  const running = async () => (await countLines('running')) + (await countLines('others'));
  await until('all of them run', async () => (await running()) === 8);
  expect(await countLines('waiting')).toBe(0);
  sent.unread = command('echo once >> unread');
  daemon.child.kill('SIGSTOP');
  link.send(sent.unread);
  await restart();
  await daemon.printed(/run_command .* was interrupted: outcome unknown/);
});
afterAll(async () => {
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
    expect(await link.perform(sent.unread)).toMatchObject({ status: 'ok', value: { exit_code: 0 } });
    expect(await countLines('unread')).toBe(1);
  });

  it('is unknown if it was running', async () => {
    expect(await link.perform(sent.running)).toMatchObject({ status: 'unknown' });
    await restart();
    expect(await link.perform(sent.running)).toMatchObject({ status: 'unknown' });
    expect(await countLines('running')).toBe(1);
  });

  it('runs for the first time if it was waiting', async () => {
    expect(await link.perform(sent.waiting)).toMatchObject({ status: 'ok' });
    expect([await countLines('others'), await countLines('waiting')]).toEqual([7, 1]);
  });

  it('has its result if it was finished', async () => {
    expect(await link.perform(sent.finished)).toMatchObject({ status: 'ok', value: { output: 'hello\n' } });
    expect(await countLines('finished')).toBe(1);
  });

  it('never runs if it was cancelled before', async () => {
    expect(await link.perform(sent.cancelled)).toMatchObject({ status: 'error' });
    expect(await countLines('cancelled')).toBe(0);
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
