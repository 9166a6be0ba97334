export interface Turns {
  /** Runs it when fewer than the allowed number run; whoever asked first goes first. */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

export function createTurns(mostAtOnce: number): Turns {
  const waiting = new Set<() => void>();
  let running = 0;

  async function take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (running < mostAtOnce) {
      running += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const go = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        waiting.delete(go);
        reject(signal.reason as Error);
      };
      waiting.add(go);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** The place goes straight to whoever waits longest. */
  function give(): void {
    const [next] = waiting;
    if (!next) {
      running -= 1;
      return;
    }
    waiting.delete(next);
    next();
  }

  return {
    async run(signal, work) {
      await take(signal);
      try {
        return await work();
      } finally {
        give();
      }
    },
  };
}
