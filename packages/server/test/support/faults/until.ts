import { setTimeout as sleep } from 'node:timers/promises';
import { patienceMs } from '../patience.ts';

/** Polls until the condition holds, less often the longer that takes, or fails with its description. Works outside of tests too. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  options: { timeout?: number; detail?: () => string; interval?: number } = {},
): Promise<void> {
  const beganAt = performance.now();
  while (!(await holds())) {
    const waitedMs = performance.now() - beganAt;
    if (waitedMs > (options.timeout ?? patienceMs))
      throw new Error(`It did not happen: ${what}. ${options.detail?.() ?? ''}`);
    await sleep(options.interval ?? Math.min(Math.max(waitedMs / 5, 20), 250));
  }
}
