import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { handleRequest } from '../../src/files/handle-request.ts';
import { ParentGone } from '../../src/files/process/parent.ts';
import type { FileRequest } from '../../src/files/process/request.ts';
import { readTree, writeTree } from './file-tree.ts';
import { filesOf, oldTree, patch } from './interrupted-change.ts';

/**
 * Stops a change before each step that writes, as the process does when the daemon is gone, and lets it recover, which is
 * stopped before each of its own steps as well. Prints what it found.
 */
const [root = '', state = ''] = process.argv.slice(2);

function handle(request: FileRequest, stopBefore: number) {
  let steps = 0;
  const beforeEffect = () => {
    steps += 1;
    if (steps === stopBefore) throw new ParentGone();
  };
  try {
    return { outcome: handleRequest(request, { roots: [root], stateFolder: state, beforeEffect }) };
  } catch (error) {
    if (error instanceof ParentGone) return { outcome: undefined };
    throw error;
  }
}

function interrupt(stopBefore: number, stopRecoveryBefore: number) {
  process.chdir('/');
  writeTree(root, filesOf(oldTree));
  rmSync(state, { recursive: true, force: true });
  const operation = { id: randomUUID(), name: 'apply_patch', workdir: root, arguments: { patch } } as const;
  const first = handle({ kind: 'perform', operation }, stopBefore);
  const interrupted = readTree(root);
  const second = handle({ kind: 'recover', operation }, stopRecoveryBefore);
  const { outcome } = handle({ kind: 'recover', operation }, Infinity);
  const isRecoveryStopped = second.outcome === undefined;
  return {
    isStopped: first.outcome === undefined,
    interrupted,
    isRecoveryStopped,
    outcome,
    recovered: readTree(root),
  };
}

const runs: ReturnType<typeof interrupt>[] = [];
for (let stop = 1, isStopped = true; isStopped; stop += 1)
  for (let stopAgain = 1, isStoppedAgain = true; isStoppedAgain && isStopped; stopAgain += 1) {
    const run = interrupt(stop, stopAgain);
    isStopped = run.isStopped;
    isStoppedAgain = run.isRecoveryStopped;
    runs.push(run);
  }
process.stdout.write(JSON.stringify(runs));
