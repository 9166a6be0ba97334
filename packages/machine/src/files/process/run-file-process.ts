import { parse, resolve } from 'node:path';
import type { Outcome } from '@svc/contract/machine-protocol';
import { codeOf, Refusal } from '../../confine/refusal.ts';
import { pruneChanges } from '../change/prune.ts';
import { handleRequest } from '../handle-request.ts';
import { endPredecessor } from './end-predecessor.ts';
import { isParentAlive, ParentGone, requireParent } from './parent.ts';
import type { FileReply, FileRequest, FileWorkerOptions } from './request.ts';
import { TimeExceeded } from './within-time.ts';

const requestsPerPrune = 500;

/** The process that works on files: answers one request after the other until the daemon is gone. */
export function runFileProcess(): void {
  const options = JSON.parse(process.argv[2] ?? '') as FileWorkerOptions;
  const stateFolder = resolve(options.stateFolder);
  const beforeEffect = () => requireParent(options.parentId);
  // Ctrl-C reaches the whole group: the daemon decides when this process ends.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  process.on('disconnect', () => process.exit());
  // Of a daemon that was killed meanwhile: it must not end the process of the next one.
  if (!isParentAlive(options.parentId)) process.exit();
  if (options.makesChanges) endPredecessor(stateFolder);
  let untilPrune = options.makesChanges ? 0 : Infinity;
  process.on('message', (request: FileRequest) => {
    const reply = answer(() => handleRequest(request, { roots: options.roots, stateFolder, beforeEffect }));
    // A folder that is some process's current directory cannot be unmounted, nor removed on Windows.
    process.chdir(parse(stateFolder).root);
    // If the daemon is gone, `disconnect` follows.
    process.send?.(reply, () => undefined);
    if (untilPrune === 0) prune(stateFolder);
    untilPrune = untilPrune === 0 ? requestsPerPrune : untilPrune - 1;
  });
}

function prune(stateFolder: string): void {
  try {
    pruneChanges(stateFolder);
  } catch (error) {
    // A folder that cannot be read now is pruned another time; requests matter more.
    if (!codeOf(error)?.startsWith('E')) throw error;
  }
}

function answer(handle: () => Outcome): FileReply {
  try {
    return { outcome: handle(), isLast: false };
  } catch (error) {
    if (error instanceof ParentGone) process.exit();
    if (error instanceof Refusal)
      return { outcome: { status: 'error', message: error.message }, isLast: error instanceof TimeExceeded };
    const message = error instanceof Error ? error.message : String(error);
    return { outcome: { status: 'error', message: `The operation failed: ${message}` }, isLast: true };
  }
}
