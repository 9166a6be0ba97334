import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
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

it('looks at each of many fields once, and makes no copies of them', () => {
  const copies = [vi.spyOn(Object, 'fromEntries'), vi.spyOn(Object, 'entries'), vi.spyOn(Object, 'assign')];
  onTestFinished(() => copies.forEach((one) => one.mockRestore()));
  const many: Record<string, number> = {};
  for (let index = 0; index < 1_000; index += 1) many[`k${(index * 7919) % 1_000}`] = index;
  let looks = 0;
  const watched = new Proxy(many, {
    get(fields, key) {
      if (key !== 'toJSON') looks += 1;
      return Reflect.get(fields, key) as unknown;
    },
  });
  expect(canonicalJson({ metadata: watched })).toHaveLength(JSON.stringify({ metadata: many }).length);
  expect(looks).toBe(1_000);
  for (const one of copies) expect(one).not.toHaveBeenCalled();
});
