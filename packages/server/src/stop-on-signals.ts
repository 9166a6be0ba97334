import type { FrontDoor } from './http/front-door.ts';
import type { Log } from './log.ts';

export interface CleanUp {
  /** Steps run in reverse order: what was opened last is closed first. */
  add(step: () => Promise<void>): void;
  /** Repeated calls are harmless. */
  run(): Promise<void>;
}

/** Closes everything in order on Ctrl-C or SIGTERM; a second signal exits immediately. */
export function stopOnSignals({ log, door }: { log: Log; door: FrontDoor }): CleanUp {
  const steps: (() => Promise<void>)[] = [() => door.close(0)];
  let running: Promise<void> | undefined;
  let signalled = false;

  async function closeAll(): Promise<void> {
    for (const step of steps.toReversed()) {
      try {
        await step();
      } catch (error) {
        log.error({ err: error }, 'A clean-up step failed.');
        process.exitCode = 1;
      }
    }
  }

  function onSignal(signal: NodeJS.Signals): void {
    if (signalled) process.exit(130);
    signalled = true;
    // A failed start is already closing everything, and sets its own exit code.
    if (running) return;
    log.info({ signal }, 'Stopping: finishing the work in progress.');
    running = closeAll().then(() => process.exit());
  }

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  return {
    add: (step) => void steps.push(step),
    run: () => (running ??= closeAll()),
  };
}
