import { describe, expect, test } from 'vitest';
import { AppError } from '../lib/app-error.ts';
import { ModelError, parseRetryAfter } from './model-error.ts';
import { defaultRetryPolicy, retryDelay } from './retry.ts';

const policy = { ...defaultRetryPolicy, attempts: 4, baseDelayMs: 100, maxDelayMs: 1_000, random: () => 1 };
const limited = (retryAfterMs?: number): ModelError =>
  new ModelError('MODEL_RATE_LIMITED', { message: 'x', worthRetrying: true, retryAfterMs });

describe('the wait before another try', () => {
  test('doubles up to its limit, then there is none', () => {
    expect([1, 2, 3, 4].map((made) => retryDelay(limited(), made, policy))).toEqual([
      100,
      200,
      400,
      undefined,
    ]);
    expect(retryDelay(limited(), 9, { ...policy, attempts: 99 })).toBe(1_000);
  });

  test('is at least half of that, whatever chance says', () => {
    expect(retryDelay(limited(), 1, { ...policy, random: () => 0 })).toBe(50);
  });

  test('is what the provider asks for, unless that is too long to wait', () => {
    expect(retryDelay(limited(1_000), 1, policy)).toBe(1_000);
    expect(retryDelay(limited(0), 1, policy)).toBe(0);
    expect(retryDelay(limited(1_001), 1, policy)).toBeUndefined();
  });

  test('does not exist for what will not get better', () => {
    const rejected = new ModelError('MODEL_REJECTED', { message: 'x' });
    expect(retryDelay(rejected, 1, policy)).toBeUndefined();
    expect(retryDelay(new AppError('MODEL_UNAVAILABLE'), 1, policy)).toBeUndefined();
    expect(retryDelay(new Error('a bug of ours'), 1, policy)).toBeUndefined();
  });
});

describe('how long a provider asks us to wait', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  test.each([
    [{ 'retry-after': '3' }, '', 3_000],
    [{ 'retry-after': '0.5' }, '', 500],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, '', 250],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:10 GMT' }, '', 10_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, '', 0],
    [{ 'retry-after': 'soon' }, '', undefined],
    [{}, '{"details":[{"retryDelay": "31s"}]}', 31_000],
    [{}, 'nothing', undefined],
  ])('%j %s → %s', (headers, body, expected) => {
    expect(parseRetryAfter({ headers, body }, now)).toBe(expected);
  });
});
