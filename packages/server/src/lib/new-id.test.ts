import { validate, version } from 'uuid';
import { expect, it } from 'vitest';
import { newId } from './new-id.ts';

it('is a UUID of version 7 that says when it was made', () => {
  const before = Date.now();
  const id = newId();
  expect(validate(id)).toBe(true);
  expect(version(id)).toBe(7);
  const made = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
  expect(made).toBeGreaterThanOrEqual(before);
});

it('sorts in the order of making, also within a millisecond, and never repeats', () => {
  const ids = Array.from({ length: 50_000 }, newId);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});
