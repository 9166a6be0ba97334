import type { Worker } from 'node:worker_threads';

const lookEveryMs = 50;
/** In CPU time: on a busy machine an ordinary check may have to wait for the CPU. */
const maxCpuMs = 250;
/** In elapsed time. */
const maxMs = 5_000;

/** Watches a thread during one job and reports once when it takes too long. Returns a function that stops watching. */
export function limitTime(worker: Worker, onTooLong: () => void): () => void {
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
