import { RateLimiterMemory } from 'rate-limiter-flexible';

export interface Counted {
  /** How many there were in the current minute. */
  count: number;
  millisecondsLeft: number;
}

/** Counts by name within a minute that begins with the first one counted. Another store can count for all nodes. */
export interface RequestCounter {
  add(name: string): Promise<Counted>;
  /** As if one had not been added. */
  takeBack(name: string): Promise<void>;
}

const minute = 60;

/** In this process: a name that stays quiet is forgotten when its minute is over. */
export function createMemoryCounter(): RequestCounter {
  // Limits differ from workspace to workspace: only its counting is used, not its verdict.
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
