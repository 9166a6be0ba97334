import { expect, it } from 'vitest';
import { TimeExceeded, withinTime } from './within-time.ts';

it('returns and throws what the action does', () => {
  expect(withinTime(1000, () => 7)).toBe(7);
  expect(() =>
    withinTime(1000, () => {
      throw new RangeError('own');
    }),
  ).toThrow(RangeError);
});

it('stops loops and regular expressions', () => {
  expect(() => withinTime(50, () => /(a+)+$/.test(`${'a'.repeat(60)}b`))).toThrow(TimeExceeded);
  expect(() =>
    withinTime(50, () => {
      for (;;);
    }),
  ).toThrow('took longer than 0.05 s');
});
