import { Worker } from 'node:worker_threads';
import { threadEnvironment } from '../../../lib/thread-environment.ts';
import type { EncoderAnswer, EncoderJob } from './encoder-worker.ts';

export type EncoderThread = ReturnType<typeof startEncoderThread>;

const memoryLimitMb = 768;
/** A few short texts take a second; loading the weights less than that. */
const stuckAfterMs = 60_000;

export const encoderWorker = new URL('./encoder-worker.ts', import.meta.url);

/** The encoder in its own thread: it keeps a processor busy, and its memory is freed with the thread. */
export function startEncoderThread(program: URL) {
  const worker = new Worker(program, {
    env: threadEnvironment(),
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb },
  });
  let alive = true;
  let job: PromiseWithResolvers<Float32Array[]> | undefined;
  let failure = new Error('The sentence encoder ended.');

  worker.on('message', ({ vectors }: EncoderAnswer) => job?.resolve(vectors));
  worker.on('error', (error: Error) => {
    failure = error;
  });
  worker.on('exit', () => {
    alive = false;
    job?.reject(failure);
  });
  // An idle thread must not keep the process alive; a running job is awaited by its caller.
  worker.unref();

  return {
    /** One job at a time. Rejects when the thread ends, on its own or because the job took too long. */
    async encode(texts: readonly string[]): Promise<Float32Array[]> {
      if (!alive) throw failure;
      const current = Promise.withResolvers<Float32Array[]>();
      job = current;
      const stuck = setTimeout(() => {
        failure = new Error('The sentence encoder did not answer.');
        void worker.terminate();
      }, stuckAfterMs);
      try {
        worker.ref();
        worker.postMessage({ texts } satisfies EncoderJob);
        return await current.promise;
      } finally {
        clearTimeout(stuck);
        worker.unref();
        job = undefined;
      }
    },
    isAlive: (): boolean => alive,
    async stop(): Promise<void> {
      failure = new Error('The sentence encoder was stopped.');
      await worker.terminate();
    },
  };
}
