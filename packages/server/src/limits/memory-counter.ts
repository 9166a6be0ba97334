import { RateLimiterMemory } from 'rate-limiter-flexible';
import {
  type Counted,
  type Quota,
  type QuotaUse,
  type RequestCounter,
  toCounted,
} from './request-counter.ts';

/** Counts in this process. A quota without requests is forgotten when its window is over. */
export function createMemoryCounter(): RequestCounter {
  // Limits differ between workspaces, so only the library's counting is used, not its decision.
  const limiter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: 60 });

  async function undo(quotas: readonly Quota[]): Promise<void> {
    for (const { name } of quotas) await limiter.reward(name);
  }

  return {
    async add(quotas) {
      const uses: QuotaUse[] = [];
      for (const { name, limit, windowSeconds } of quotas) {
        const { consumedPoints, msBeforeNext } = await limiter.penalty(name, 1, {
          customDuration: windowSeconds,
        });
        if (consumedPoints > limit) {
          await undo(quotas.slice(0, uses.length + 1));
          const full = { count: consumedPoints - 1, millisecondsLeft: msBeforeNext };
          return toCounted(false, quotas.slice(uses.length, uses.length + 1), [full]);
        }
        uses.push({ count: consumedPoints, millisecondsLeft: msBeforeNext });
      }
      return toCounted(true, quotas, uses);
    },
    async takeBack({ quota, millisecondsLeft }: Counted) {
      const now = await limiter.get(quota.name);
      // More time left than before means that another window has started.
      if (now && now.consumedPoints > 0 && now.msBeforeNext <= millisecondsLeft) await undo([quota]);
    },
  };
}
