import { createRefusalMemory } from './refusal-memory.ts';
import type { RequestCounter } from './request-counter.ts';

/**
 * Refuses callers that are over a limit from memory until their window ends, so that a flood costs the store nothing. What this
 * process has counted on its own is not remembered, since the shared counter may admit more when it works again.
 */
export function rememberRefusals(counter: RequestCounter): RequestCounter {
  const memory = createRefusalMemory();
  return {
    async add(quotas) {
      const refused = memory.find(quotas);
      if (refused) return refused;
      const startedAt = performance.now();
      const counted = await counter.add(quotas);
      if (!counted.isAdmitted && !counted.isLocal) memory.remember(counted, startedAt);
      if (counted.isAdmitted) for (const quota of quotas) if (quota.isRevocable) memory.forget(quota);
      return counted;
    },
    takeBack(counted) {
      memory.forget(counted.quota);
      return counter.takeBack(counted);
    },
  };
}
