import { createGrowingLru } from '../lib/growing-lru.ts';
import type { Counted, Quota } from './request-counter.ts';

const maxRemembered = 20_000;
/** Other nodes may take requests back, so such quotas are looked at again after this time. */
const revocableMilliseconds = 1_000;

interface UsedUp {
  count: number;
  endsAt: number;
  believedUntil: number;
}

/** The quotas that this process knows to be used up. */
export function createRefusalMemory() {
  const usedUp = createGrowingLru<UsedUp>(maxRemembered);

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
    /** The refusal of a request, if one of its quotas is known to be used up. */
    find(quotas: readonly Quota[]): Counted | undefined {
      const now = performance.now();
      for (const quota of quotas) {
        const refused = refusal(quota, now);
        if (refused) return refused;
      }
      return undefined;
    },
    /**
     * Remembers a refusal by a counter that was asked at `startedAt`, by `performance.now()`. The time is counted from before the
     * request was sent, so that no request is refused after the end of the window.
     */
    remember({ quota, count, millisecondsLeft }: Counted, startedAt: number): void {
      const endsAt = startedAt + millisecondsLeft;
      const believedUntil = quota.isRevocable ? startedAt + revocableMilliseconds : endsAt;
      usedUp.set(quota.name, { count, endsAt, believedUntil });
    },
    forget: ({ name }: Quota): void => void usedUp.delete(name),
  };
}
