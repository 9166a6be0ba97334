import { RateLimiterMemory } from 'rate-limiter-flexible';

export interface Counted {
  /** The count in the current minute. */
  count: number;
  millisecondsLeft: number;
}

/** Counts per name within a minute that starts with the first count. Another implementation can count across nodes. */
export interface RequestCounter {
  add(name: string): Promise<Counted>;
  /** Undoes one `add`. */
  takeBack(name: string): Promise<void>;
}

const minute = 60;

/** Counts in this process. A name without requests is forgotten when its minute is over. */
export function createMemoryCounter(): RequestCounter {
  // Limits differ between workspaces, so only the library's counting is used, not its decision.
  const limiter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: minute });
  return {
    async add(name) {
      const { consumedPoints, msBeforeNext } = await limiter.penalty(name);
      return { count: consumedPoints, millisecondsLeft: msBeforeNext };
    },
    async takeBack(name) {
      await limiter.reward(name);
    },
  };
}
