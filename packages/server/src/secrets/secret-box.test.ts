import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createKeyRing } from './key-ring.ts';
import { createSecretBox } from './secret-box.ts';

const box = createSecretBox(createKeyRing(randomBytes(32)));

it('opens what it sealed', () => {
  expect(box.open(box.seal('schön ☂', 'a'), 'a')).toBe('schön ☂');
});

it('does not open under another context, another key, or after a change', () => {
  const sealed = box.seal('secret', 'workspace 1');
  expect(() => box.open(sealed, 'workspace 2')).toThrow();
  expect(() => createSecretBox(createKeyRing(randomBytes(32))).open(sealed, 'workspace 1')).toThrow();
  for (const position of [0, 9, 21, sealed.length - 1]) {
    const changed = Buffer.from(sealed);
    changed[position] = (changed[position] ?? 0) ^ 1;
    expect(() => box.open(changed, 'workspace 1')).toThrow();
  }
});

it('seals the same text differently each time', () => {
  expect(box.seal('x', 'a').equals(box.seal('x', 'a'))).toBe(false);
});

it('hashes with the installation key', () => {
  expect(box.keyedHash('x')).toEqual(box.keyedHash('x'));
  expect(createSecretBox(createKeyRing(randomBytes(32))).keyedHash('x')).not.toEqual(box.keyedHash('x'));
});

it('opens and reseals what an earlier key sealed, while that key is known', () => {
  const [old, fresh] = [randomBytes(32), randomBytes(32)];
  const before = createSecretBox(createKeyRing(old));
  const wrapped = before.wrap('secret', 'tool 1');
  const both = createSecretBox(createKeyRing(fresh, [old]));
  expect(both.unwrap(wrapped, 'tool 1')).toBe('secret');

  const rotated = { ...wrapped, wrappedKey: both.reseal(wrapped.wrappedKey, 'tool 1') };
  const after = createSecretBox(createKeyRing(fresh));
  expect(after.unwrap(rotated, 'tool 1')).toBe('secret');
  expect(after.reseal(rotated.wrappedKey, 'tool 1')).toEqual(rotated.wrappedKey);
  expect(() => after.unwrap(wrapped, 'tool 1')).toThrow('no longer configured');
  expect(() => after.unwrap(rotated, 'tool 2')).toThrow();
});
