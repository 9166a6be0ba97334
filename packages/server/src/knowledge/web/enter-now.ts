import type { FairQueue } from '../../lib/fair-queue.ts';

/** Takes a place if one is free right now. */
export async function enterNow(turns: FairQueue, group: string): Promise<(() => void) | undefined> {
  const impatient = new AbortController();
  // The signal only ends the wait: if a place is free, it is taken before the signal aborts.
  const entering = turns.enter(group, impatient.signal);
  const none = new Error('There is no place.');
  impatient.abort(none);
  try {
    return await entering;
  } catch (error) {
    if (error !== none) throw error;
    return undefined;
  }
}
