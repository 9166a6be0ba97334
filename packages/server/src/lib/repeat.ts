import type { Log } from './log.ts';

export interface RepeatOptions {
  name: string;
  everyMilliseconds: number;
  log: Log;
  work: () => Promise<void>;
}

export type Repetition = ReturnType<typeof repeat>;

/** Runs `work` periodically, one round at a time. A failed round is logged and does not stop the next. */
export function repeat({ name, everyMilliseconds, log, work }: RepeatOptions) {
  let running: Promise<void> | undefined;
  let isWanted = false;
  let isStopped = false;
  const timer = setInterval(() => {
    if (!running) run();
  }, everyMilliseconds);
  timer.unref();

  function run(): void {
    isWanted = false;
    running = work()
      .catch((error: unknown) =>
        log.warn({ err: error, name }, 'A background round failed; the next one follows.'),
      )
      .finally(() => {
        running = undefined;
        if (isWanted) run();
      });
  }

  return {
    /** Starts a round immediately, or as soon as the current one has ended. */
    runNow(): void {
      if (isStopped) return;
      isWanted = true;
      if (!running) run();
    },
    /** Starts no further round; resolves when the current one has ended. Repeated calls are harmless. */
    async stop(): Promise<void> {
      isStopped = true;
      isWanted = false;
      clearInterval(timer);
      await running;
    },
  };
}
