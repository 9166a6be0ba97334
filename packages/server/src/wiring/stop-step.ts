import type { Log } from '../lib/log.ts';

export type StopStep = (
  name: string,
  withinMilliseconds: number,
  step: () => Promise<unknown>,
) => Promise<void>;

/** Runs the steps of stopping. One that fails or takes too long is logged and left behind, so that the others still run. */
export function createStopStep(log: Log): StopStep {
  return async (name, withinMilliseconds, step) => {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      log.warn({ name }, 'A step of stopping takes too long and is left behind.');
      late.resolve();
    }, withinMilliseconds);
    const done = step().catch((error: unknown) => {
      log.warn({ err: error, name }, 'A step of stopping failed.');
    });
    await Promise.race([done, late.promise]);
    clearTimeout(timer);
  };
}
