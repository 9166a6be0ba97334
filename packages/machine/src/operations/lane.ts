export type Lane = ReturnType<typeof createLane>;

interface Waiting {
  task: () => Promise<void>;
  signal: AbortSignal;
  leave: () => void;
}

/** Runs tasks in the order of their arrival, only so many at a time, with a bounded number of them waiting. */
export function createLane({ concurrency, maxWaiting }: { concurrency: number; maxWaiting: number }) {
  const waiting: Waiting[] = [];
  let running = 0;

  function startNext(): void {
    const next = running < concurrency ? waiting.shift() : undefined;
    if (!next) return;
    next.signal.removeEventListener('abort', next.leave);
    running += 1;
    void next.task().finally(() => {
      running -= 1;
      startNext();
    });
  }

  return {
    /** False if too many are waiting already. The task starts later, unless its signal is aborted before; then `onAbort` runs. */
    enter(signal: AbortSignal, task: () => Promise<void>, onAbort: () => void): boolean {
      if (running >= concurrency && waiting.length >= maxWaiting) return false;
      const entry: Waiting = { task, signal, leave };
      function leave(): void {
        waiting.splice(waiting.indexOf(entry), 1);
        onAbort();
      }
      waiting.push(entry);
      signal.addEventListener('abort', leave, { once: true });
      startNext();
      return true;
    },
  };
}
