import type { FairQueue } from '../../fair-queue.ts';

/** A place if there is one at once. */
export async function enterNow(turns: FairQueue, group: string): Promise<(() => void) | undefined> {
  const impatient = new AbortController();
  // The signal only ends the waiting: whoever need not wait is inside before it aborts.
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
