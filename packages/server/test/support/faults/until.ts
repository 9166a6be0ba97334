import { setTimeout as sleep } from 'node:timers/promises';
import { patienceMs } from '../patience.ts';

/** Polls until the condition holds, or fails with its description. Works outside of tests too. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  options: { timeout?: number; detail?: () => string; interval?: number } = {},
): Promise<void> {
  const giveUpAt = performance.now() + (options.timeout ?? patienceMs);
  while (!(await holds())) {
    if (performance.now() > giveUpAt)
      throw new Error(`It did not happen: ${what}. ${options.detail?.() ?? ''}`);
    await sleep(options.interval ?? 20);
  }
}
