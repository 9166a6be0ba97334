import { describe, expect, it } from 'vitest';
import type { AppError } from '../lib/app-error.ts';
import { guardText } from './text-guard.ts';

function refusal(value: unknown, root?: string): unknown {
  try {
    guardText(value, root);
  } catch (error) {
    const { details, message } = error as AppError;
    return details?.[0] ?? message;
  }
  return undefined;
}

const message = 'must be well-formed text without the character U+0000';

describe('the text guard', () => {
  it.each([
    ['text', 'fine'],
    ['pairs', '😀'],
    ['numbers, null and empty things', { a: [1, null, true, {}, []] }],
    ['what is nested 64 levels deep', nested(64)],
  ])('lets %s through', (_what, value) => {
    expect(refusal(value)).toBeUndefined();
  });

  it.each([
    ['a text', '\0', '', 'body'],
    ['half a pair', { a: { b: ['x', '\ud800'] } }, '', 'a.b.1'],
    ['a key', { a: { 'b\0c': 1 } }, '', 'a.bc'],
    ['below a field', ['\0'], 'settings', 'settings.0'],
  ])('names the place of %s', (_what, value, root, path) => {
    expect(refusal(value, root)).toEqual({ path, message });
  });

  it('does not repeat a long key', () => {
    expect(refusal({ ['k'.repeat(1_000_000)]: '\0' })).toEqual({ path: `${'k'.repeat(99)}…`, message });
  });

  it('refuses more values than any request needs', () => {
    expect(refusal({ a: Array(49_998).fill(0) })).toBeUndefined();
    expect(refusal({ a: Array(49_999).fill(0) })).toBe('The body holds more than 50000 values.');
    expect(refusal({ a: Array(50_000).fill('\0') })).toMatchObject({ path: 'a.0' });
  });

  it('refuses what is nested deeper', () => {
    expect(refusal(nested(65))).toBe('The body is nested more than 64 levels deep.');
  });
});

function nested(levels: number): unknown {
  let value: unknown = [];
  for (let level = 1; level < levels; level += 1) value = [value];
  return value;
}
