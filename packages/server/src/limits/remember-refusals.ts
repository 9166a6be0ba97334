import { LRUCache } from 'lru-cache';
import type { Counted, RequestCounter } from './request-counter.ts';

const maxRemembered = 20_000;
/** Other nodes may take requests back, so such quotas are looked at again after this time. */
const revocableMilliseconds = 1_000;

interface UsedUp {
  count: number;
  endsAt: number;
  believedUntil: number;
}

/** Refuses callers that are over a limit from memory until their window ends, so that a flood costs the store nothing. */
export function rememberRefusals(counter: RequestCounter): RequestCounter {
  const usedUp = new LRUCache<string, UsedUp>({ max: maxRemembered });

  /** The time is counted from before the request was sent, so that nobody is refused after the end of the window. */
  function remember({ quota, count, millisecondsLeft }: Counted, startedAt: number): void {
    const endsAt = startedAt + millisecondsLeft;
    const believedUntil = quota.isRevocable ? Math.min(endsAt, startedAt + revocableMilliseconds) : endsAt;
    usedUp.set(quota.name, { count, endsAt, believedUntil });
  }

  return {
    async add(quotas) {
      const now = performance.now();
      for (const quota of quotas) {
        const known = usedUp.get(quota.name);
        if (known && known.count >= quota.limit && now < known.believedUntil) {
          const { count, endsAt } = known;
          return { isAdmitted: false, quota, count, millisecondsLeft: Math.ceil(endsAt - now) };
        }
      }
      const counted = await counter.add(quotas);
      if (!counted.isAdmitted) remember(counted, now);
      return counted;
    },
    takeBack(counted) {
      usedUp.delete(counted.quota.name);
      return counter.takeBack(counted);
    },
  };
}
