import { expect, it } from 'vitest';
import { addressGroup } from './address-group.ts';

it('is one for a network of IPv6, and for an address of IPv4 however it is written', () => {
  expect(addressGroup('2001:db8:1:2::1')).toBe(addressGroup('2001:db8:1:2:ffff:ffff:ffff:ffff'));
  expect(addressGroup('::ffff:192.0.2.1')).toBe(addressGroup('192.0.2.1'));
  expect(addressGroup('fe80::1%eth0')).toBe(addressGroup('fe80::2'));
});

it('is one of few enough to be kept, and spreads over them', () => {
  const groups = Array.from({ length: 50_000 }, (_, index) =>
    addressGroup(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`),
  );
  expect(Math.max(...groups)).toBeLessThan(16_384);
  expect(new Set(groups).size).toBeGreaterThan(10_000);
  expect(addressGroup('')).toBeLessThan(16_384);
});
