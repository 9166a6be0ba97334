import fc from 'fast-check';
import { expect, it } from 'vitest';
import { grant } from './credit-grant.ts';

const quote = { least: 10n, usual: 40n, most: 200n };

it.each([
  ['nothing where there is less than the least', 9n, undefined],
  ['all there is, down to the least', 10n, 10n],
  ['all there is, up to what is usual', 39n, 39n],
  ['what is usual', 100n, 40n],
  ['a quarter, where that is more', 400n, 100n],
  ['the most, and not more', 10_000n, 200n],
  ['nothing of a debt', -5n, undefined],
])('sets aside %s', (_what, available, granted) => {
  expect(grant(available, quote)).toBe(granted);
});

it('begins what is free, whatever the balance', () => {
  expect(grant(-5n, { least: 0n, usual: 0n, most: 0n })).toBe(0n);
});

it('never sets aside more than there is, nor less than the least', () => {
  const amounts = fc.tuple(fc.bigInt(0n, 1_000n), fc.bigInt(0n, 1_000n), fc.bigInt(1n, 1_000n));
  fc.assert(
    fc.property(fc.bigInt(-1_000n, 5_000n), amounts, (available, [one, other, third]) => {
      const [least = 0n, usual = 0n, most = 0n] = [one, other, third].toSorted((a, b) => Number(a - b));
      const granted = grant(available, { least, usual, most });
      if (granted === undefined) expect(available).toBeLessThan(least);
      else {
        expect(granted).toBeGreaterThanOrEqual(least);
        expect(granted).toBeLessThanOrEqual(most);
        expect(granted).toBeLessThanOrEqual(available);
      }
    }),
  );
});
