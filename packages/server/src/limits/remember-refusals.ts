import { LRUCache } from 'lru-cache';
import type { Counted, Quota, RequestCounter } from './request-counter.ts';

const maxRemembered = 20_000;
/** Other nodes may take requests back, so such quotas are looked at again after this time. */
const revocableMilliseconds = 1_000;

interface UsedUp {
  count: number;
  endsAt: number;
  believedUntil: number;
}

/**
 * Refuses callers that are over a limit from memory until their window ends, so that a flood costs the store nothing. What this
 * process has counted on its own is not remembered, since the shared counter may admit more when it works again.
 */
export function rememberRefusals(counter: RequestCounter): RequestCounter {
  const usedUp = new LRUCache<string, UsedUp>({ max: maxRemembered });

  /** The time is counted from before the request was sent, so that nobody is refused after the end of the window. */
  function remember({ quota, count, millisecondsLeft }: Counted, startedAt: number): void {
    const endsAt = startedAt + millisecondsLeft;
    const believedUntil = quota.isRevocable ? startedAt + revocableMilliseconds : endsAt;
    usedUp.set(quota.name, { count, endsAt, believedUntil });
  }

  function refusal(quota: Quota, now: number): Counted | undefined {
    const known = usedUp.get(quota.name);
    if (!known || known.count < quota.limit || now >= known.endsAt) return undefined;
    if (now >= known.believedUntil) {
      // This request finds out whether there is room again; others need not.
      known.believedUntil = now + revocableMilliseconds;
      return undefined;
    }
    return { isAdmitted: false, quota, count: known.count, millisecondsLeft: Math.ceil(known.endsAt - now) };
  }

  return {
    async add(quotas) {
      const now = performance.now();
      for (const quota of quotas) {
        const refused = refusal(quota, now);
        if (refused) return refused;
      }
      const counted = await counter.add(quotas);
      if (!counted.isAdmitted && !counted.isLocal) remember(counted, now);
      if (counted.isAdmitted)
        for (const { name, isRevocable } of quotas) if (isRevocable) usedUp.delete(name);
      return counted;
    },
    takeBack(counted) {
      usedUp.delete(counted.quota.name);
      return counter.takeBack(counted);
    },
  };
}
