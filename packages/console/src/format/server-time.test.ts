import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const noon = Date.parse('2026-11-16T12:00:00Z');
let noteServerTime: typeof import('./server-time.ts').noteServerTime;
let serverNow: typeof import('./server-time.ts').serverNow;
beforeEach(async () => {
  // It remembers what it has learned.
  vi.resetModules();
  ({ noteServerTime, serverNow } = await import('./server-time.ts'));
});
afterEach(() => vi.useRealTimers());

/** An answer of the service, given at noon, as a computer sees it whose clock is wrong by so many seconds. */
function answer(wrongBy: number, { took = 0.2, date = new Date(noon).toUTCString() } = {}): number {
  const sentAt = noon + wrongBy * 1_000;
  vi.useFakeTimers({ now: sentAt + took * 1_000, toFake: ['Date'] });
  noteServerTime(date, sentAt, Date.now());
  return (serverNow() - Date.now()) / 1_000;
}

it('corrects a clock that is wrong, and leaves one alone that may be right', () => {
  expect(answer(-600)).toBeCloseTo(599.8);
  // Right again, for example after it was set.
  const right = answer(0);
  expect(Math.abs(right)).toBeLessThanOrEqual(1);
  expect(answer(0, { took: 0.1 })).toBe(right);
  expect(answer(600)).toBeCloseTo(-599);
});

it('learns nothing from answers that say nothing', () => {
  const known = answer(-600);
  expect(answer(-600, { date: 'soon' })).toBeCloseTo(known);
  expect(answer(-600, { took: 900 })).toBeCloseTo(known);
  vi.useFakeTimers({ now: noon, toFake: ['Date'] });
  noteServerTime(new Date(noon).toUTCString(), noon, noon - 5_000);
  expect((serverNow() - noon) / 1_000).toBeCloseTo(known);
});
