export interface Sleeper {
  /** Resolves after this time, or earlier when `wake` is called. */
  sleep(milliseconds: number): Promise<void>;
  wake(): void;
  /** Shortens all waiting times in tests. */
  pace: number;
}

export function createSleeper(pace: number): Sleeper {
  const sleeping = new Set<() => void>();
  return {
    sleep: (milliseconds) =>
      new Promise((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          sleeping.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, milliseconds * pace);
        sleeping.add(wake);
      }),
    wake() {
      for (const wake of sleeping) wake();
    },
    pace,
  };
}

/** After so many failures: up to 1, 2, 4 … 30 seconds, at random, so that visitors do not all return at the same time. */
export function backoff(failures: number): number {
  return Math.min(30_000, 1000 * 2 ** failures) * (0.5 + Math.random() / 2);
}
