import { expect, it } from 'vitest';
import { createRecentMaximum } from './local-speech.ts';

it('is the largest value of the last seconds', () => {
  let at = 0;
  const worst = createRecentMaximum(10, () => at);
  expect(worst.current).toBe(0);
  for (const [time, value, expected] of [
    [1, 5, 5],
    [2, 9, 9],
    [3, 4, 9],
    [11, 1, 9],
    [12, 2, 4],
    [13, 0, 2],
  ] as const) {
    at = time;
    worst.note(value);
    expect(worst.current, `at ${time}`).toBe(expected);
  }
  at = 30;
  expect(worst.current).toBe(0);
});
