import { createRefusalMemory } from './refusal-memory.ts';
import type { Counted, Quota, RequestCounter } from './request-counter.ts';

/** Counts messages. Fails when its store does, since a message that is not counted must not be sent. */
export type MessageCounter = ReturnType<typeof createMessageCounter>;

export function createMessageCounter(counter: RequestCounter) {
  const memory = createRefusalMemory();
  return {
    /**
     * A refusal that this process remembers, without the store: for a flood over the limit. Once a second one request gets none, and
     * finds out by `add` whether there is room again.
     */
    findRefusal: memory.find,
    /** Counts a message against each quota, or against none if one of them is used up. The narrowest quota comes first. */
    async add(quotas: readonly Quota[]): Promise<Counted> {
      const startedAt = performance.now();
      const counted = await counter.add(quotas);
      if (!counted.isAdmitted) memory.remember(counted, startedAt);
      else for (const quota of quotas) memory.forget(quota);
      return counted;
    },
    /** Undoes an `add`, for the quotas whose window is not over yet. */
    async takeBack(counted: Counted): Promise<void> {
      // One statement each: locking several rows in another order than counting does could end in a deadlock.
      for (const one of [counted, ...(counted.others ?? [])]) {
        memory.forget(one.quota);
        await counter.takeBack(one);
      }
    },
  };
}
