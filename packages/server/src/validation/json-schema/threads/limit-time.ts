import type { Worker } from 'node:worker_threads';

const lookEveryMs = 50;
/** Of the processor's time: on a busy machine an honest job may have to wait for it. */
const mostProcessorMs = 250;
/** In any case. */
const mostMs = 5_000;

/** Watches a thread at one job, and says once when it takes too long. Returns how to stop watching. */
export function limitTime(worker: Worker, onTooLong: () => void): () => void {
  const startedAt = performance.now();
  let before: NodeJS.CpuUsage | undefined;
  let watching = true;

  async function look(): Promise<void> {
    const used = await worker.cpuUsage(before);
    before ??= used;
    if (watching && used !== before && (used.user + used.system) / 1000 > mostProcessorMs) end();
  }

  function end(): void {
    watching = false;
    onTooLong();
  }

  const timer = setInterval(() => {
    // A thread that is ending can no longer be asked, and need not be.
    look().catch(() => undefined);
    // If it was us who were held up, the answer is there and only not read yet.
    if (performance.now() - startedAt > mostMs) setImmediate(() => watching && end());
  }, lookEveryMs);

  return () => {
    watching = false;
    clearInterval(timer);
  };
}
