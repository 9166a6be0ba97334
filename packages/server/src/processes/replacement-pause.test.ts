import { expect, it } from 'vitest';
import { createReplacementPause } from './replacement-pause.ts';

it('repairs the first failure at once and waits longer after each further one', () => {
  const pause = createReplacementPause();
  const pauses = Array.from({ length: 8 }, () => pause.afterFailure(2_000));
  expect(pauses).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

it('starts again at once after a process that ran for a while', () => {
  const pause = createReplacementPause();
  for (const ran of [1_000, 1_000, 1_000]) pause.afterFailure(ran);
  expect(pause.afterFailure(3_600_000)).toBe(0);
  expect(pause.afterFailure(1_000)).toBe(1_000);
});
