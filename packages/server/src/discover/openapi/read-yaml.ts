import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export type ReadText = { value: unknown } | { fault: string };

const timeLimitMs = 15_000;
const memoryLimitMb = 256;

export type YamlReader = (text: string, signal: AbortSignal) => Promise<ReadText>;

/**
 * Reads YAML beside everything else: half a megabyte of it takes two seconds, in which nothing else would run. One text
 * at a time, so that many of them need no more memory than one.
 */
export function createYamlReader(): YamlReader {
  let last: Promise<unknown> = Promise.resolve();
  return (text, signal) => {
    const read = last.then(() => readInWorker(text, signal));
    // Whoever asked hears of its failure; the next one only waits for its end.
    last = read.catch(() => undefined);
    return read;
  };
}

async function readInWorker(text: string, signal: AbortSignal): Promise<ReadText> {
  signal.throwIfAborted();
  const worker = new Worker(new URL('./yaml-worker.ts', import.meta.url), {
    workerData: text,
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb },
  });
  // An error that comes after nobody waits any more would end the process.
  worker.on('error', () => undefined);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeLimitMs)]);
  try {
    const [read] = (await once(worker, 'message', { signal: deadline })) as [ReadText];
    return read;
  } catch {
    // Whatever the text did to the worker: it is too much.
    signal.throwIfAborted();
    return { fault: 'it takes too long or too much memory to read' };
  } finally {
    await worker.terminate();
  }
}
