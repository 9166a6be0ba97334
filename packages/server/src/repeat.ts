import type { Log } from './log.ts';

export interface RepeatOptions {
  name: string;
  everyMilliseconds: number;
  log: Log;
  work: () => Promise<void>;
}

export interface Repetition {
  /** Starts no further round; resolves when the current one has ended. Repeated calls are harmless. */
  stop(): Promise<void>;
}

/** Runs `work` periodically, one round at a time. A failed round is logged and does not stop the next. */
export function repeat({ name, everyMilliseconds, log, work }: RepeatOptions): Repetition {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= work()
      .catch((error: unknown) =>
        log.warn({ err: error, name }, 'A background round failed; the next one follows.'),
      )
      .finally(() => {
        running = undefined;
      });
  }, everyMilliseconds);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
