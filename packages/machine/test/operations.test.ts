import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MachineFrame, OperationName, Outcome } from '@svc/contract/machine-protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Journal, openJournal } from '../src/operations/journal.ts';
import { createOperations, type Operations } from '../src/operations/operations.ts';
import { argumentsOf, type Running } from './support/running-operation.ts';
import { operationFrame } from './support/test-service.ts';

const ok: Outcome = { status: 'ok', value: { files: [] } };

let folder: string;
let running: Running[];
let recovered: string[];
let frames: MachineFrame[];
let lines: string[];
let journal: Journal;
let operations: Operations;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-operations-'));
  [running, recovered, frames, lines] = [[], [], [], []];
  await open();
});
afterEach(() => rm(folder, { recursive: true, maxRetries: 5 }));

/** As after a start of the daemon. */
async function open(freeBytes?: () => Promise<number>, claimMs?: number): Promise<void> {
  journal = await openJournal(folder, {
    onTrouble: (message) => lines.push(message),
    ...(freeBytes && { freeBytes }),
  });
  // What an earlier test left may still start.
  const runningHere = running;
  operations = createOperations({
    journal,
    admit: async () => ({ isApproved: true }),
    ...(claimMs !== undefined && { claimMs }),
    terminal: { line: (text) => lines.push(text), warn: (text) => lines.push(text) },
    send: (frame) => frames.push(frame),
    work: {
      perform: (operation, run) =>
        new Promise((end, fail) => {
          runningHere.push({ operation, run, end, fail });
        }),
      async recover({ id }) {
        recovered.push(id);
        return { status: 'unknown', message: 'interrupted' };
      },
      close: async () => undefined,
    },
  });
}

const send = (name: OperationName, id: string = randomUUID()) => {
  operations.handle(operationFrame({ id, name, arguments: argumentsOf[name] ?? {} }));
  return id;
};
const cancel = (id: string) => operations.handle({ type: 'cancel', id });
const resultsOf = (id: string) =>
  frames.flatMap((frame) => (frame.type === 'result' && frame.id === id ? [frame.outcome] : []));
const result = async (id: string, count = 1) => {
  await expect.poll(() => resultsOf(id).length).toBe(count);
  return resultsOf(id).at(-1);
};
const started = async (count: number) => {
  await expect.poll(() => running.length).toBe(count);
  return running[count - 1] as Running;
};

describe('operations', () => {
  it('are carried out once, however often they are sent', async () => {
    const id = send('write_file');
    const first = await started(1);
    send('write_file', id);
    send('write_file', id);
    first.end(ok);
    expect(await result(id)).toEqual(ok);
    send('write_file', id);
    expect(await result(id, 2)).toEqual(ok);
    expect(running).toHaveLength(1);
  });

  it('are carried out once, even if they are sent to the next process', async () => {
    const id = send('write_file');
    (await started(1)).end(ok);
    await result(id);
    await open();
    await operations.recover();
    send('write_file', id);
    expect(await result(id, 2)).toEqual(ok);
    expect(running).toHaveLength(1);
    expect(recovered).toEqual([]);
  });

  it('that a crash interrupted are recovered, and not started again', async () => {
    const id = send('run_command');
    await started(1);
    await open();
    await operations.recover();
    expect(recovered).toEqual([id]);
    send('run_command', id);
    expect(await result(id)).toEqual({ status: 'unknown', message: 'interrupted' });
    expect(running).toHaveLength(1);
  });

  it('never start if they were cancelled before they arrived, even in the next process', async () => {
    const id = randomUUID();
    cancel(id);
    send('run_command', id);
    expect(await result(id)).toMatchObject({
      status: 'error',
      message: expect.stringContaining('cancelled'),
    });
    await open();
    send('run_command', id);
    await result(id, 2);
    expect(running).toEqual([]);
  });

  it('send no result for a cancellation alone', async () => {
    const id = randomUUID();
    cancel(id);
    await expect.poll(() => journal.isFinished(id)).toBe(true);
    expect(frames).toEqual([]);
  });

  it('are ended by a cancellation', async () => {
    const id = send('run_command');
    const { run, end } = await started(1);
    cancel(id);
    expect(run.signal.aborted).toBe(true);
    end({ status: 'error', message: 'ended' });
    expect(await result(id)).toEqual({ status: 'error', message: 'ended' });
    cancel(id);
    expect(await journal.read(id)).toEqual({ status: 'error', message: 'ended' });
  });

  it('that change files run one after another, in the order of their arrival', async () => {
    const ids = [send('write_file'), send('edit_file'), send('write_file')];
    for (const index of ids.keys()) {
      const { operation, end } = await started(index + 1);
      expect(operation.id).toBe(ids[index]);
      end(ok);
    }
    await result(ids[2] as string);
  });

  it.each(['read_file', 'write_file', 'run_command'] as const)(
    'called %s do not wait for a command or a search',
    async (name) => {
      send('run_command');
      for (let count = 0; count < 4; count++) send('search');
      await started(5);
      const id = send(name);
      (await started(6)).end(ok);
      expect(await result(id)).toEqual(ok);
    },
  );

  it('leave the queue when they are cancelled', async () => {
    const first = send('write_file');
    const { end } = await started(1);
    const second = send('write_file');
    const third = send('write_file');
    cancel(second);
    expect(await result(second)).toMatchObject({ status: 'error' });
    end(ok);
    await result(first);
    expect((await started(2)).operation.id).toBe(third);
    send('write_file', second);
    await result(second, 2);
    expect(running).toHaveLength(2);
  });

  it('that wait are dropped without a trace when the connection is lost, and start when they are sent again', async () => {
    const first = send('write_file');
    const { end, run } = await started(1);
    const second = send('write_file');
    const third = send('write_file');
    operations.dropWaiting();
    expect(run.signal.aborted).toBe(false);
    end(ok);
    await result(first);
    send('write_file', third);
    expect((await started(2)).operation.id).toBe(third);
    expect(journal.isFinished(second)).toBe(false);
    expect(resultsOf(second)).toEqual([]);
  });

  it('that the service does not send again after a reconnect are cancelled', async () => {
    await open(undefined, 50);
    send('write_file');
    const { run, end, operation } = await started(1);
    operations.expectAgain();
    send('write_file', operation.id);
    await new Promise((wake) => setTimeout(wake, 100));
    expect(run.signal.aborted).toBe(false);
    operations.expectAgain();
    await expect.poll(() => run.signal.aborted).toBe(true);
    end({ status: 'error', message: 'ended' });
    expect(await result(operation.id)).toEqual({ status: 'error', message: 'ended' });
  });

  it('are refused when too many wait', async () => {
    for (let count = 0; count < 101; count++) send('write_file');
    const id = send('write_file');
    expect(await result(id)).toMatchObject({ message: 'Too many operations are waiting on this machine.' });
  });

  it('with wrong arguments never start', async () => {
    const id = randomUUID();
    operations.handle(operationFrame({ id, name: 'write_file', arguments: { path: 7, content: 'x' } }));
    expect(await result(id)).toEqual({
      status: 'error',
      message: 'The machine received invalid arguments of write_file.',
    });
    const other = randomUUID();
    const previewed = { operation: 'run_command', arguments: { command: { toString: 1 } } };
    operations.handle(operationFrame({ id: other, name: 'preview', arguments: previewed }));
    expect(await result(other)).toMatchObject({ message: expect.stringContaining('run_command') });
    expect(running).toEqual([]);
  });

  it('are refused before they begin when the disk is full', async () => {
    await open(async () => 0);
    const id = send('write_file');
    expect(await result(id)).toMatchObject({ message: expect.stringContaining('Nothing was done') });
    expect(running).toEqual([]);
    const read = send('read_file');
    (await started(1)).end(ok);
    expect(await result(read)).toEqual(ok);
  });

  it('that fail unexpectedly are recovered', async () => {
    const id = send('write_file');
    (await started(1)).fail(new Error('worker lost'));
    expect(await result(id)).toEqual({ status: 'unknown', message: 'interrupted' });
    expect(lines.join('\n')).toContain('worker lost');
  });

  it('report progress and an outcome within the limits of the protocol', async () => {
    const id = send('run_command');
    const { run, end } = await started(1);
    run.onProgress('x'.repeat(100_000));
    expect(frames).toEqual([{ type: 'progress', id, text: 'x'.repeat(65_536) }]);
    end({ status: 'ok', value: { output: 'x'.repeat(9_000_000) } });
    expect(await result(id)).toMatchObject({ message: expect.stringContaining('too large') });
  });

  it('that are waiting when the daemon stops may run later; those that run are ended and recorded', async () => {
    const first = send('write_file');
    const { run, end } = await started(1);
    const second = send('write_file');
    run.signal.addEventListener('abort', () => end({ status: 'error', message: 'stopped' }));
    await operations.stop();
    expect(resultsOf(first)).toEqual([{ status: 'error', message: 'stopped' }]);
    expect(resultsOf(second)).toEqual([]);
    await open();
    await operations.recover();
    send('write_file', first);
    expect(await result(first, 2)).toEqual({ status: 'error', message: 'stopped' });
    send('write_file', second);
    await started(2);
  });

  it('are shown with the bot, the conversation and the outcome', async () => {
    const id = randomUUID();
    operations.handle(
      operationFrame({
        id,
        name: 'run_command',
        workdir: '/shop',
        arguments: { command: 'npm test\u001b[2J' },
        requested_by: { bot: 'Fi\nxer', conversation_id: 'c-1' },
      }),
    );
    (await started(1)).end({ status: 'ok', value: { exit_code: 1, signal: null, timed_out: false } });
    await result(id);
    await expect.poll(() => lines.length).toBe(2);
    expect(lines[0]).toBe('[Fi\\nxer in conversation c-1] run npm test\\u{1b}[2J in /shop: started');
    expect(lines[1]).toMatch(/ in \/shop: exit code 1 \(\d+ ms\)$/);
  });
});
