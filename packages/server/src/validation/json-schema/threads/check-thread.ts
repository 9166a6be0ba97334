import { Worker } from 'node:worker_threads';
import type { FieldError } from '@svc/contract/errors';
import { threadEnvironment } from '../../../lib/thread-environment.ts';
import type { CheckAnswer, CheckJob } from './check-worker.ts';

export type CheckThread = ReturnType<typeof startCheckThread>;

const memoryLimitMb = 128;

export const checkWorker = new URL('./check-worker.ts', import.meta.url);

/** A thread that checks values. It can be terminated, which is the only way to stop a regular expression. */
export function startCheckThread(program: URL) {
  const worker = new Worker(program, {
    env: threadEnvironment(),
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb, maxYoungGenerationSizeMb: 32 },
  });
  const ready = Promise.withResolvers<void>();
  // Its caller may no longer be waiting when it fails.
  ready.promise.catch(() => undefined);
  let alive = true;
  let job: PromiseWithResolvers<FieldError[] | undefined> | undefined;
  let failure = new Error('The thread that checks values ended.');

  worker.on('message', (answer: CheckAnswer) => {
    if (answer.kind === 'ready') ready.resolve();
    else job?.resolve(answer.faults);
  });
  worker.on('error', (error: Error) => {
    failure = error;
  });
  worker.on('exit', () => {
    alive = false;
    ready.reject(failure);
    job?.resolve(undefined);
  });
  // It must not keep the process alive; a running job is awaited by its caller.
  worker.unref();

  /** From now on it gets no more jobs, even if it still answers this one. */
  function end(): void {
    alive = false;
    void worker.terminate();
  }

  return {
    /** One at a time. Undefined when it is too much work; the thread may have ended because of it. */
    async check(given: CheckJob): Promise<FieldError[] | undefined> {
      worker.ref();
      let stopWatching: (() => void) | undefined;
      try {
        await ready.promise;
        if (!alive) return undefined;
        job = Promise.withResolvers<FieldError[] | undefined>();
        stopWatching = limitTime(worker, end);
        worker.postMessage(given);
        return await job.promise;
      } finally {
        stopWatching?.();
        job = undefined;
        worker.unref();
      }
    },
    isAlive: (): boolean => alive,
    async stop(): Promise<void> {
      await worker.terminate();
    },
  };
}

const lookEveryMs = 50;
/** In CPU time: on a busy machine an ordinary check may have to wait for the CPU. */
const maxCpuMs = 250;
/** In elapsed time. */
const maxMs = 5_000;

/** Watches a thread during one job and reports once when it takes too long. Returns a function that stops watching. */
function limitTime(worker: Worker, onTooLong: () => void): () => void {
  const startedAt = performance.now();
  let before: NodeJS.CpuUsage | undefined;
  let watching = true;

  async function look(): Promise<void> {
    const used = await worker.cpuUsage(before);
    before ??= used;
    if (watching && used !== before && (used.user + used.system) / 1000 > maxCpuMs) end();
  }

  function end(): void {
    watching = false;
    onTooLong();
  }

  const timer = setInterval(() => {
    // A thread that is ending cannot be measured, and need not be.
    look().catch(() => undefined);
    // If the main thread was blocked, the answer may have arrived and only not been read yet.
    if (performance.now() - startedAt > maxMs) setImmediate(() => watching && end());
  }, lookEveryMs);

  return () => {
    watching = false;
    clearInterval(timer);
  };
}
