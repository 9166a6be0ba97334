import type { FrontDoor } from './http/front-door.ts';
import type { Log } from './log.ts';

export interface CleanUp {
  /** Steps run in reverse order: what was opened last is closed first. */
  add(step: () => Promise<void>): void;
  /** Repeated calls are harmless. */
  run(): Promise<void>;
  /** As on a signal: closes everything and ends the process. Repeated calls are harmless. */
  stop(reason: string): void;
}

export interface StopOptions {
  log: Log;
  /** Closed last. */
  door?: FrontDoor;
  /** Called before the process exits at once. */
  onSecondSignal?: () => void;
}

/** Closes everything in order on Ctrl-C or SIGTERM; a second signal exits immediately. */
export function stopOnSignals({ log, door, onSecondSignal }: StopOptions): CleanUp {
  const steps: (() => Promise<void>)[] = door ? [() => door.close(0)] : [];
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
    if (signalled) {
      onSecondSignal?.();
      process.exit(130);
    }
    signalled = true;
    stop(signal);
  }

  function stop(reason: string): void {
    // A failed start is already closing everything, and sets its own exit code.
    if (running) return;
    log.info({ reason }, 'Stopping: finishing the work in progress.');
    running = closeAll().then(() => process.exit());
  }

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  return {
    add: (step) => void steps.push(step),
    run: () => (running ??= closeAll()),
    stop,
  };
}
