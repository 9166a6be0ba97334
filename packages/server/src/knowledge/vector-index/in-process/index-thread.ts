import { Worker } from 'node:worker_threads';
import { threadEnvironment } from '../../../lib/thread-environment.ts';
import type { IndexAnswers, IndexRequest } from './index-worker.ts';

export interface IndexThread {
  /** Requests are answered in order. Rejects when the thread ends. */
  ask<Request extends IndexRequest>(request: Request): Promise<IndexAnswers[Request['type']]>;
  isAlive(): boolean;
  stop(): Promise<void>;
}

export const indexWorker = new URL('./index-worker.ts', import.meta.url);

/** The vectors are in a thread of their own, because scanning all of them would block every request. */
export function startIndexThread(program: URL, onEnd: (error: Error) => void): IndexThread {
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
    async ask<Request extends IndexRequest>(request: Request) {
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
    isAlive: () => alive,
    async stop() {
      stopping = true;
      await worker.terminate();
    },
  };
}
