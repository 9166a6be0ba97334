import { expect, test } from 'vitest';
import { paceOf } from './pace.ts';

const now = new Date('2026-11-16T12:00:00Z');
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);

test('the balance lasts as long as the last week suggests', () => {
  expect(paceOf({ costUsd: '7', firstAt: daysAgo(6.9) }, '12', now)).toEqual({
    usd_per_day: '1',
    days_left: 12,
  });
  expect(paceOf({ costUsd: '7', firstAt: daysAgo(6.9) }, null, now).days_left).toBeNull();
  expect(paceOf({ costUsd: '7', firstAt: daysAgo(6.9) }, '-0.5', now).days_left).toBe(0);
});

test('a young workspace is not made to look cheap', () => {
  expect(paceOf({ costUsd: '3', firstAt: daysAgo(1.5) }, '3', now)).toEqual({
    usd_per_day: '1.5',
    days_left: 2,
  });
  expect(paceOf({ costUsd: '3', firstAt: daysAgo(0.1) }, '3', now).usd_per_day).toBe('3');
});

test('nothing spent lasts forever', () => {
  expect(paceOf({ costUsd: '0', firstAt: null }, '3', now)).toEqual({ usd_per_day: '0', days_left: null });
  expect(paceOf({ costUsd: '0', firstAt: daysAgo(2) }, '3', now).days_left).toBeNull();
});
