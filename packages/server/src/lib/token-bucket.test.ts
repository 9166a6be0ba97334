import { expect, it } from 'vitest';
import { createTokenBucket } from './token-bucket.ts';

it('lets its capacity pass at once, and later its rate', () => {
  let time = 0;
  const bucket = createTokenBucket({ perSecond: 10, capacity: 20, now: () => time });
  expect(bucket.take(20)).toBe(0);
  expect(bucket.take(5)).toBe(500);
  time = 500;
  expect(bucket.tryTake(1)).toBe(false);
  time = 600;
  expect(bucket.tryTake(1)).toBe(true);
});

it('never holds more than its capacity', () => {
  let time = 0;
  const bucket = createTokenBucket({ perSecond: 10, capacity: 20, now: () => time });
  time = 60_000;
  expect(bucket.tryTake(21)).toBe(false);
  expect(bucket.tryTake(20)).toBe(true);
});
