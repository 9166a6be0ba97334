import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.ts';

/** What stored hashes were made of. */
function sortedCopies(value: unknown): string {
  return JSON.stringify(value, (_key, entry: unknown) => {
    if (entry === null || typeof entry !== 'object' || Array.isArray(entry)) return entry;
    return Object.fromEntries(Object.entries(entry).toSorted(([left], [right]) => (left < right ? -1 : 1)));
  });
}

function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed);
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, entry]) => [key, reversed(entry)]),
  );
}

it('does not depend on the order of keys', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
    }),
  );
});

it('writes what it always wrote, so that stored hashes still fit', () => {
  const key = fc.oneof(fc.string(), fc.nat().map(String), fc.constantFrom('00', '-1', '4294967295', '1.5'));
  const value = fc.letrec((tie) => ({
    any: fc.oneof({ depthSize: 'small' }, fc.jsonValue(), fc.constant(undefined), fc.date(), tie('object')),
    object: fc.dictionary(key, tie('any')),
  })).object;
  fc.assert(
    fc.property(value, (given) => {
      expect(canonicalJson(given)).toBe(sortedCopies(given));
    }),
  );
});

it('takes much less time than sorted copies', () => {
  const many = Object.fromEntries(
    Array.from({ length: 49_000 }, (_, index) => [`k${(index * 7919) % 49_000}`, index]),
  );
  const least = (work: (value: unknown) => string) =>
    Math.min(
      ...Array.from({ length: 7 }, () => {
        const before = process.threadCpuUsage();
        work({ metadata: many });
        const { user, system } = process.threadCpuUsage(before);
        return user + system;
      }),
    );
  expect(least(canonicalJson)).toBeLessThan(0.75 * least(sortedCopies));
});
