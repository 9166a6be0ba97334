import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { addressGroup } from './address-group.ts';

const hashWith = (key: string) => (text: string) => createHmac('sha256', key).update(text).digest();
const groupOf = (address: string, key = 'a') => addressGroup(address, hashWith(key));

it('is one for a network of IPv6, and for an address of IPv4 however it is written', () => {
  expect(groupOf('2001:db8:1:2::1')).toBe(groupOf('2001:db8:1:2:ffff:ffff:ffff:ffff'));
  expect(groupOf('::ffff:192.0.2.1')).toBe(groupOf('192.0.2.1'));
  expect(groupOf('fe80::1%eth0')).toBe(groupOf('fe80::2'));
  // As some proxies forward it.
  expect(groupOf('192.0.2.1:50123')).toBe(groupOf('192.0.2.1'));
  expect(groupOf('[2001:db8:1:2::1]:50123')).toBe(groupOf('2001:db8:1:2::1'));
});

it('is one of few enough to be kept, and spreads over them', () => {
  const groups = Array.from({ length: 50_000 }, (_, index) =>
    groupOf(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`),
  );
  expect(Math.max(...groups)).toBeLessThan(16_384);
  expect(new Set(groups).size).toBeGreaterThan(10_000);
  expect(groupOf('')).toBeLessThan(16_384);
});

it('depends on the key, which is secret', () => {
  const addresses = Array.from({ length: 100 }, (_, index) => `192.0.2.${index}`);
  const groups = (key: string) => addresses.map((address) => groupOf(address, key));
  expect(groups('a')).toEqual(groups('a'));
  expect(groups('b')).not.toEqual(groups('a'));
});
