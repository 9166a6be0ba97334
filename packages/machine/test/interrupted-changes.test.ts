import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '@svc/contract/machine-protocol';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { fewer } from '../../server/test/support/sample.ts';
import { createFileWork } from '../src/files/file-work.ts';
import { type FileTree, readTree, writeTree } from './support/file-tree.ts';
import { filesOf, newTree, oldTree, patch } from './support/interrupted-change.ts';

const killRounds = fewer(5);
const support = join(import.meta.dirname, 'support');

describe('a change that is interrupted', () => {
  let base: string;
  let root: string;
  let state: string;
  beforeAll(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'svc-interrupted-')));
    root = join(base, 'root');
    state = join(base, 'state');
  });
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  it('is whole after it was recovered, whichever step it was stopped before', () => {
    const printed = execFileSync(process.execPath, [join(support, 'interrupt-child.ts'), root, state]);
    const runs = JSON.parse(printed.toString()) as InterruptedRun[];
    expect(runs.length).toBeGreaterThan(40);
    for (const { interrupted, outcome, recovered } of runs) {
      expectWholeFiles(interrupted);
      expectTruth(outcome, recovered);
    }
    // Both must have happened, and the last run is the one that nothing stopped.
    const statuses = new Set(runs.map(({ outcome }) => outcome.status));
    expect(statuses).toEqual(new Set(['ok', 'error']));
    expect(runs.at(-1)).toMatchObject({ isStopped: false, outcome: { status: 'ok' } });
    expect(runs.some(({ isStopped, outcome }) => isStopped && outcome.status === 'ok')).toBe(true);
  });

  it('is whole when the process that works on files is killed', async () => {
    const work = createFileWork({ roots: [root], stateFolder: state });
    const run = { signal: new AbortController().signal, onProgress: () => undefined };
    try {
      for (let round = 0; round < killRounds; round += 1) {
        writeTree(root, filesOf(oldTree));
        const operation = { id: randomUUID(), workdir: root };
        // Starts the process.
        await work.perform({ ...operation, name: 'revert', arguments: { operation_ids: [] } }, run);
        const change = work.perform({ ...operation, name: 'apply_patch', arguments: { patch } }, run);
        const delay = randomInt(0, 60);
        await sleep(delay);
        killFileProcess();
        const outcome = await change;
        expectTruth(outcome, readTree(root), `killed after ${delay} ms`);
      }
    } finally {
      await work.close();
    }
  });

  it('is whole when the daemon is killed, and its process never keeps running beside the next one', async () => {
    for (let round = 0; round < killRounds; round += 1) {
      writeTree(root, filesOf(oldTree));
      const id = randomUUID();
      const daemon = await startChange(id);
      const delay = randomInt(0, 60);
      await sleep(delay);
      const exited = once(daemon, 'exit');
      daemon.kill('SIGKILL');
      await exited;
      const work = createFileWork({ roots: [root], stateFolder: state });
      const outcome = await work.recover({ id, name: 'apply_patch' });
      expectTruth(outcome, readTree(root), `killed after ${delay} ms`);
      await work.close();
    }
  });

  it('leaves no process behind when the daemon is killed', async () => {
    writeTree(root, filesOf(oldTree));
    const daemon = await startChange(randomUUID());
    const id = fileProcessId();
    expect(isRunning(id)).toBe(true);
    daemon.kill('SIGKILL');
    await expect.poll(() => isRunning(id)).toBe(false);
  });

  async function startChange(id: string): Promise<ChildProcess> {
    const daemon = fork(join(support, 'change-child.ts'), [root, state, id], { execArgv: [] });
    onTestFinished(() => void daemon.kill('SIGKILL'));
    await once(daemon, 'message');
    return daemon;
  }

  function killFileProcess(): void {
    const id = fileProcessId();
    if (isRunning(id)) process.kill(id, 'SIGKILL');
  }

  function fileProcessId(): number {
    return (JSON.parse(readFileSync(join(state, 'file-worker.json'), 'utf8')) as { id: number }).id;
  }
});

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

interface InterruptedRun {
  isStopped: boolean;
  interrupted: FileTree;
  outcome: Outcome;
  recovered: FileTree;
}

/** Each file has its old or its new content; what is being written has another name. */
function expectWholeFiles(tree: FileTree): void {
  for (const [path, content] of Object.entries(filesOf(tree)))
    if (!/\/?\.svc-[0-9a-f]+\.tmp$/.test(path)) expect([oldTree[path], newTree[path]]).toContain(content);
}

function expectTruth(outcome: Outcome, tree: FileTree, how = 'stopped'): void {
  expect([how, outcome.status, tree]).toEqual([
    how,
    outcome.status,
    outcome.status === 'ok' ? newTree : oldTree,
  ]);
  expect(outcome.status).not.toBe('unknown');
  if (outcome.status === 'error') expect(outcome.message).toContain('was not carried out');
}
