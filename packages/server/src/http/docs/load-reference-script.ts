import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * The script that renders the reference, gzipped. It is several megabytes of text inside a package, so a thread loads and
 * compresses it, which keeps the event loop free and releases the memory afterward.
 */
export async function loadReferenceScript(): Promise<Uint8Array> {
  const worker = new Worker(new URL('./reference-script-worker.ts', import.meta.url));
  try {
    const script = await Promise.race([
      once(worker, 'message').then(([message]) => message as Uint8Array),
      once(worker, 'exit').then(([code]) => {
        throw new Error(`The script of the reference could not be loaded (exit code ${code}).`);
      }),
    ]);
    return script;
  } finally {
    await worker.terminate();
  }
}
