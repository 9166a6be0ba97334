import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '@svc/contract/machine-protocol';
import { programFile } from '../../program-file.ts';
import type { FileReply, FileRequest, FileWorkerOptions } from './request.ts';

/** Why there is no outcome. Nothing is known about how far the request came, but its process has ended. */
export type Ended = 'timed_out' | 'aborted' | 'crashed';

export interface RequestLimits {
  timeLimitMs: number;
  /** Keeps a request that waits from starting. */
  signal?: AbortSignal;
  /** The signal ends the process as well while the request is under way. */
  isInterruptible: boolean;
}

export type FileProcess = ReturnType<typeof createFileProcess>;

/** How long a process that was killed may need to end, for example while it waits for a disk. */
const endPatienceMs = 5000;

/** A process that works on files only: it can change its current directory, and can be killed when it hangs. */
export function createFileProcess({ roots, stateFolder, makesChanges }: Omit<FileWorkerOptions, 'parentId'>) {
  let child: ChildProcess | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  function start(): ChildProcess {
    const options: FileWorkerOptions = { roots, stateFolder, makesChanges, parentId: process.pid };
    const started = fork(programFile('file-worker'), [JSON.stringify(options)], {
      execArgv: [],
      // The key of the machine is none of its business. Windows needs some variables to start programs at all.
      ...(process.platform === 'win32' ? {} : { env: {} }),
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    // An error here is followed by an exit, or it is the failure to start, which `exchange` sees as well.
    started.on('error', () => undefined);
    started.once('exit', () => {
      if (child === started) child = undefined;
    });
    return started;
  }

  async function end(ended: ChildProcess): Promise<void> {
    if (child === ended) child = undefined;
    if (ended.exitCode !== null || ended.signalCode !== null || ended.pid === undefined) return;
    const exited = once(ended, 'exit');
    ended.kill('SIGKILL');
    await Promise.race([exited, sleep(endPatienceMs, undefined, { ref: false })]);
  }

  async function run(request: FileRequest, limits: RequestLimits): Promise<Outcome | Ended> {
    if (limits.signal?.aborted) return 'aborted';
    child ??= start();
    const used = child;
    const answer = await exchange(used, request, limits);
    if (typeof answer === 'string' || answer.isLast) await end(used);
    return typeof answer === 'string' ? answer : answer.outcome;
  }

  return {
    /** Requests wait for each other. */
    request(request: FileRequest, limits: RequestLimits): Promise<Outcome | Ended> {
      const answer = queue.then(() => run(request, limits));
      // The caller gets the error; the next request runs anyway.
      queue = answer.catch(() => undefined);
      return answer;
    },
    async close(): Promise<void> {
      await queue;
      if (child) await end(child);
    },
  };
}

/** Sends a request and waits for the first of: its reply, the end of the process, the time limit, the signal. */
async function exchange(
  child: ChildProcess,
  request: FileRequest,
  { timeLimitMs, signal, isInterruptible }: RequestLimits,
): Promise<FileReply | Ended> {
  const cleanUp: (() => void)[] = [];
  try {
    return await new Promise((resolve) => {
      const onReply = (reply: unknown) => resolve(reply as FileReply);
      const onEnd = () => resolve('crashed');
      const onAbort = () => resolve('aborted');
      const timer = setTimeout(() => resolve('timed_out'), timeLimitMs);
      child.on('message', onReply).on('exit', onEnd).on('error', onEnd);
      if (isInterruptible) signal?.addEventListener('abort', onAbort);
      cleanUp.push(() => {
        clearTimeout(timer);
        child.off('message', onReply).off('exit', onEnd).off('error', onEnd);
        signal?.removeEventListener('abort', onAbort);
      });
      child.send(request, (error) => error && onEnd());
    });
  } finally {
    for (const undo of cleanUp) undo();
  }
}
