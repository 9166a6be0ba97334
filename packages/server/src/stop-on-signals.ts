import type { FrontDoor } from './http/front-door.ts';
import type { Log } from './log.ts';

export interface CleanUp {
  /** What was opened last is closed first. */
  add(step: () => Promise<void>): void;
  /** Harmless when repeated. */
  run(): Promise<void>;
}

/** On Ctrl-C or SIGTERM everything is closed in order; a second one does not wait. */
export function stopOnSignals({ log, door }: { log: Log; door: FrontDoor }): CleanUp {
  const steps: (() => Promise<void>)[] = [() => door.close(0)];
  let running: Promise<void> | undefined;
  let signalled = false;

  async function closeAll(): Promise<void> {
    for (const step of steps.toReversed()) {
      try {
        await step();
      } catch (error) {
        log.error({ err: error }, 'Something did not close as it should.');
        process.exitCode = 1;
      }
    }
  }

  function onSignal(signal: NodeJS.Signals): void {
    if (signalled) process.exit(130);
    signalled = true;
    // A start that failed is closing everything already, and its exit code tells that it failed.
    if (running) return;
    log.info({ signal }, 'Stopping: finishing what is under way.');
    running = closeAll().then(() => process.exit());
  }

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  return {
    add: (step) => void steps.push(step),
    run: () => (running ??= closeAll()),
  };
}
