import { randomUUID } from 'node:crypto';
import type { OperationName, Outcome, ProcessState } from '@svc/contract/machine-protocol';
import { describe, expect, it, vi } from 'vitest';
import { runningCommands } from '../../server/test/support/running-commands.ts';
import { isSandboxPossible } from './support/sandbox-possible.ts';
import { type CommandSetup, useCommands } from './support/use-commands.ts';

const ways = [
  { way: 'in the sandbox', isSandboxed: true },
  { way: 'without a sandbox', isSandboxed: false },
].filter(({ isSandboxed }) => !isSandboxed || isSandboxPossible);

async function useBackground(setup: CommandSetup) {
  const { work, root } = await useCommands(setup);
  const perform = (name: OperationName, given: object, conversationId = 'ours'): Promise<Outcome> =>
    work.perform(
      { id: randomUUID(), name, workdir: root, arguments: { ...given }, conversationId },
      { signal: new AbortController().signal, onProgress: () => undefined },
    );
  const value = async (...given: Parameters<typeof perform>) => {
    const outcome = await perform(...given);
    if (outcome.status !== 'ok') throw new Error(outcome.message);
    return outcome.value as ProcessState;
  };
  return { work, root, perform, value };
}

/** The number of a command that no other test runs. */
let number = 0;
const seconds = () => `2718${process.pid}${number++}`;

describe.each(ways)('processes in the background $way', ({ isSandboxed }) => {
  it('are started, read again and again, and stopped', async () => {
    const { value, root } = await useBackground({ isSandboxed });
    const wait = seconds();
    const command = `echo first; until [ -e more ]; do sleep 0.05; done; echo second; sleep ${wait}`;
    const started = await value('start_process', { command });
    expect(started).toMatchObject({ command, cwd: root, running: true, exit_code: null, output: 'first\n' });
    const { process_id } = started;
    expect(await value('read_process', { process_id })).toMatchObject({ running: true, output: '' });
    await value('run_command', { command: 'touch more' });
    const read = await value('read_process', { process_id, wait_seconds: 60 });
    expect(read).toMatchObject({ running: true, output: 'second\n' });
    expect(await runningCommands('sleep', wait)).toBeGreaterThan(0);
    expect(await value('stop_process', { process_id })).toMatchObject({ running: false, exit_code: null });
    expect(await runningCommands('sleep', wait)).toBe(0);
    // Stopping it again is harmless.
    expect(await value('stop_process', { process_id })).toMatchObject({ running: false, signal: 'SIGTERM' });
  });

  it('that end at once are reported with their output and exit code', async () => {
    const { value } = await useBackground({ isSandboxed, limits: { startMs: 60_000 } });
    expect(await value('start_process', { command: 'echo broken >&2; exit 3' })).toMatchObject({
      running: false,
      exit_code: 3,
      output: 'broken\n',
    });
  });

  it('belong to their conversation, and end with it', async () => {
    const { value, perform } = await useBackground({ isSandboxed, limits: { idleMs: 3_000, startMs: 10 } });
    const wait = seconds();
    const { process_id } = await value('start_process', { command: `sleep ${wait}` });
    const theirs = await perform('read_process', { process_id }, 'theirs');
    expect(theirs).toMatchObject({
      status: 'error',
      message: expect.stringContaining('There is no process'),
    });
    expect(await perform('stop_process', { process_id }, 'theirs')).toMatchObject({ status: 'error' });
    await vi.waitUntil(async () => (await runningCommands('sleep', wait)) > 0, 60_000);
    await vi.waitUntil(async () => (await runningCommands('sleep', wait)) === 0, 60_000);
    expect(await perform('read_process', { process_id })).toMatchObject({ status: 'error' });
  });

  it('are limited in number, and end with the daemon', async () => {
    const { value, perform, work } = await useBackground({
      isSandboxed,
      limits: { maxRunning: 1, startMs: 10 },
    });
    const wait = seconds();
    await value('start_process', { command: `sleep ${wait}` });
    expect(await perform('start_process', { command: 'true' })).toMatchObject({
      status: 'error',
      message: expect.stringContaining('stop one of them first'),
    });
    await vi.waitUntil(async () => (await runningCommands('sleep', wait)) > 0, 60_000);
    await work.close();
    expect(await runningCommands('sleep', wait)).toBe(0);
  });
});
