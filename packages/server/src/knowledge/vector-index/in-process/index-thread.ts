import { Worker } from 'node:worker_threads';
import { threadEnvironment } from '../../../lib/thread-environment.ts';
import type { IndexAnswers, IndexRequest } from './index-worker.ts';

export type IndexThread = ReturnType<typeof startIndexThread>;

export const indexWorker = new URL('./index-worker.ts', import.meta.url);

/** The vectors are in a thread of their own, because scanning all of them would block every request. */
export function startIndexThread(program: URL, onEnd: (error: Error) => void) {
  const worker = new Worker(program, {
    env: threadEnvironment(),
    stdout: true,
    stderr: true,
  });
  const waiting: PromiseWithResolvers<unknown>[] = [];
  let alive = true;
  let stopping = false;
  let failure = new Error('The vector index ended.');

  worker.on('message', (answer: unknown) => waiting.shift()?.resolve(answer));
  worker.on('error', (error: Error) => {
    failure = error;
  });
  worker.on('exit', () => {
    alive = false;
    for (const { reject } of waiting.splice(0)) reject(failure);
    if (!stopping) onEnd(failure);
  });
  worker.unref();

  return {
    /** Requests are answered in order. Rejects when the thread ends. */
    async ask<Request extends IndexRequest>(request: Request): Promise<IndexAnswers[Request['type']]> {
      if (!alive) throw failure;
      const outcome = Promise.withResolvers<unknown>();
      waiting.push(outcome);
      worker.ref();
      try {
        worker.postMessage(request);
        // Each kind of request has its own kind of answer.
        return (await outcome.promise) as IndexAnswers[Request['type']];
      } finally {
        if (waiting.length === 0) worker.unref();
      }
    },
    isAlive: (): boolean => alive,
    async stop(): Promise<void> {
      stopping = true;
      await worker.terminate();
    },
  };
}
