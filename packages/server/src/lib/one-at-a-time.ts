import type { Log } from './log.ts';

/** Work that has one run at a time; requests during a run cause one more. A run that fails is logged. */
export function oneAtATime(name: string, log: Log, work: () => Promise<void>) {
  let running: Promise<void> | undefined;
  let isWanted = false;

  async function runWhileWanted(): Promise<void> {
    while (isWanted) {
      isWanted = false;
      await work().catch((error: unknown) =>
        log.warn({ err: error, name }, 'Work in the background failed.'),
      );
    }
    running = undefined;
  }

  return {
    /** Starts it in the background, or once more when the current run has ended. */
    run(): void {
      isWanted = true;
      running ??= runWhileWanted();
    },
    /** Resolves when no run is in progress. */
    idle: async (): Promise<void> => running,
  };
}
