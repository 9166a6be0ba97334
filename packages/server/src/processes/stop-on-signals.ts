import type { FrontDoor } from '../http/front-door.ts';
import type { Services } from '../services.ts';

export interface StopOptions extends Pick<Services, 'log'> {
  /** Closed last. */
  door?: Pick<FrontDoor, 'close'>;
  /** Whatever is still open this long after the signal is left behind, as after a crash. */
  withinMilliseconds?: number;
  /** Called just before a second signal ends the process. */
  onSecondSignal?: () => void;
}

/** Supervisors kill a service that takes too long, and deploys wait for it: it is always gone within ten seconds. */
const defaultMilliseconds = 9_500;

/** Closes everything in order on Ctrl-C or SIGTERM; a second signal exits immediately. */
export function stopOnSignals(options: StopOptions) {
  const { log, door, withinMilliseconds = defaultMilliseconds } = options;
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
      options.onSecondSignal?.();
      process.exit(130);
    }
    signalled = true;
    stop(signal);
  }

  /** As on a signal: closes everything and ends the process. Logged if a reason is given. Repeated calls are harmless. */
  function stop(reason?: string): void {
    // A failed start is already closing everything, and sets its own exit code.
    if (running) return;
    if (reason) log.info({ reason }, 'Stopping: finishing the work in progress.');
    setTimeout(() => {
      log.error('Stopping took too long: what is still open is left to other nodes or to the next start.');
      process.exit(1);
    }, withinMilliseconds).unref();
    running = closeAll().then(() => process.exit());
  }

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  return {
    /** Steps run in reverse order: what was opened last is closed first. */
    add: (step: () => Promise<void>) => void steps.push(step),
    /** Repeated calls are harmless. */
    run: (): Promise<void> => (running ??= closeAll()),
    stop,
  };
}
