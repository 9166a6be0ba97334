import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OperationName, Outcome, ProcessState } from '@svc/contract/machine-protocol';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runningCommands } from '../../server/test/support/running-commands.ts';
import { createWork } from '../src/create-work.ts';
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

/** Timers that the test ends. */
function useTimers() {
  const timers: (() => void)[] = [];
  function startTimer(onTime: () => void) {
    timers.push(onTime);
    return () => void timers.splice(timers.indexOf(onTime), 1);
  }
  return { timers, startTimer };
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
    expect(started).toMatchObject({ command, cwd: root, running: true, exit_code: null });
    const { process_id } = started;
    // A busy machine may not have run it yet.
    const rest =
      started.output === '' ? await value('read_process', { process_id, wait_seconds: 60 }) : started;
    expect(rest).toMatchObject({ running: true, output: 'first\n' });
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
    const { timers, startTimer } = useTimers();
    const { value, perform } = await useBackground({ isSandboxed, limits: { startTimer, startMs: 10 } });
    const wait = seconds();
    const { process_id } = await value('start_process', { command: `sleep ${wait}` });
    const theirs = await perform('read_process', { process_id }, 'theirs');
    expect(theirs).toMatchObject({
      status: 'error',
      message: expect.stringContaining('There is no process'),
    });
    expect(await perform('stop_process', { process_id }, 'theirs')).toMatchObject({ status: 'error' });
    await vi.waitUntil(async () => (await runningCommands('sleep', wait)) > 0, 60_000);
    expect(timers).toHaveLength(1);
    timers[0]?.();
    await vi.waitUntil(async () => (await runningCommands('sleep', wait)) === 0, 60_000);
    expect(await perform('read_process', { process_id })).toMatchObject({ status: 'error' });
  });

  it('do not end while a command runs for their conversation', async () => {
    const { timers, startTimer } = useTimers();
    const { value } = await useBackground({ isSandboxed, limits: { startTimer, startMs: 10 } });
    await value('start_process', { command: `sleep ${seconds()}` });
    expect(timers).toHaveLength(1);
    const long = value('run_command', { command: 'until [ -e more ]; do sleep 0.05; done' });
    await value('run_command', { command: 'true' });
    await value('run_command', { command: 'true' }, 'theirs');
    expect(timers).toHaveLength(0);
    await value('run_command', { command: 'touch more' });
    await long;
    expect(timers).toHaveLength(1);
  });

  it('are limited in number even if they are started together', async () => {
    const { perform } = await useBackground({ isSandboxed, limits: { maxRunning: 1, startMs: 10 } });
    const command = `sleep ${seconds()}`;
    const outcomes = await Promise.all([1, 2, 3].map(() => perform('start_process', { command })));
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['error', 'error', 'ok']);
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

it('processes in the background do not end while files are read for their conversation', async () => {
  const { timers, startTimer } = useTimers();
  const { work, root } = await useWork({ startTimer, startMs: 10 });
  const run = { signal: new AbortController().signal, onProgress: () => undefined };
  const perform = (name: OperationName, given: Record<string, unknown>) =>
    work.perform({ id: randomUUID(), name, workdir: root, arguments: given, conversationId: 'ours' }, run);
  await perform('start_process', { command: `sleep ${seconds()}` });
  const [first] = timers;
  const reading = perform('list_files', {});
  expect(timers).toHaveLength(0);
  expect(await reading).toMatchObject({ status: 'ok' });
  expect(timers).toHaveLength(1);
  expect(timers[0]).not.toBe(first);
});

async function useWork(backgroundLimits: CommandSetup['limits'] & object) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'svc-work-')));
  const [root, stateFolder] = [join(folder, 'root'), join(folder, 'state')];
  for (const path of [root, stateFolder]) await mkdir(path);
  const { work } = await createWork({
    roots: [root],
    stateFolder,
    keyFile: undefined,
    isSandboxed: false,
    network: 'none',
    showsSecrets: false,
    environment: process.env,
    backgroundLimits,
  });
  onTestFinished(async () => {
    await work.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { work, root };
}
