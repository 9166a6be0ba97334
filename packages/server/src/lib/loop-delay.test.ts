import { expect, it } from 'vitest';
import { toDelay } from './loop-delay.ts';

it('does not count the time between two measurements as delay', () => {
  expect([0, 9_900_000, 10_000_000, 10_260_000, 260_000_000].map(toDelay)).toEqual([0, 0, 0, 0.3, 250]);
});
