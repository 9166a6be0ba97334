import { describe, expect, it } from 'vitest';
import { backoffMs } from './backoff.ts';

describe('the delay before the next attempt', () => {
  it('grows from half a second to ten seconds, half of it by chance', () => {
    expect([0, 1, 2, 20, 1_000_000].map((attempt) => backoffMs(attempt, () => 1))).toEqual([
      500, 650, 845, 10_000, 10_000,
    ]);
    expect(backoffMs(1_000_000, () => 0)).toBe(5_000);
  });

  it('is a few seconds at most while a service restarts', () => {
    let elapsed = 0;
    for (let attempt = 0; elapsed < 20_000; attempt += 1) {
      const delay = backoffMs(attempt, () => 1);
      // What is left of the delay when the service is back.
      if (elapsed + delay > 10_000) expect(delay).toBeLessThan(6_000);
      elapsed += delay;
    }
  });
});
