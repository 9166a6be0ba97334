import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatUsd, parseUsd } from './money.ts';

it('reads what it writes', () => {
  fc.assert(
    fc.property(fc.bigInt(-(10n ** 20n), 10n ** 20n), (amount) => parseUsd(formatUsd(amount)) === amount),
  );
});

it.each([
  ['0', 0n],
  ['12.5', 12_500_000_000n],
  ['0.000000001', 1n],
  ['-3', -3_000_000_000n],
])('writes %s in its shortest form', (text, amount) => {
  expect(formatUsd(amount)).toBe(text);
  expect(parseUsd(text)).toBe(amount);
});

it.each(['', '1e3', '1.', '.5', '1.0000000001', 'NaN'])('refuses %j', (text) => {
  expect(() => parseUsd(text)).toThrow();
});
