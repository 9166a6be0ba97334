import { expect, it } from 'vitest';
import { timeLeft } from './time-left.ts';

const now = new Date('2026-11-15T09:30:00Z');
const second = 1_000;

it.each([
  [24 * 3600, '24 hours'],
  [24 * 3600 - 1, '23 hours'],
  [2 * 3600 - 1, '1 hour'],
  [3600, '1 hour'],
  [3599, '59 minutes'],
  [60, '1 minute'],
  [59, 'less than a minute'],
  [0, 'less than a minute'],
  [-5, 'less than a minute'],
])('%i seconds are %s', (seconds, words) => {
  expect(timeLeft(new Date(now.getTime() + seconds * second), now)).toBe(words);
});
