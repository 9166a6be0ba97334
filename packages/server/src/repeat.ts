import type { Log } from './log.ts';

export interface RepeatOptions {
  name: string;
  everyMilliseconds: number;
  log: Log;
  work: () => Promise<void>;
}

export interface Repetition {
  /** No further round starts; resolves when the one under way has ended. Harmless when repeated. */
  stop(): Promise<void>;
}

/** Does something again and again, one round at a time. A round that fails is logged, and the next one comes. */
export function repeat({ name, everyMilliseconds, log, work }: RepeatOptions): Repetition {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= work()
      .catch((error: unknown) => log.warn({ err: error, name }, 'A background round failed; it comes again.'))
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
