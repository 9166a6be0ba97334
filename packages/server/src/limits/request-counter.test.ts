import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createMemoryCounter } from './request-counter.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('counts by name within a minute that begins with the first', async () => {
  const counter = createMemoryCounter();
  expect(await counter.add('a')).toEqual({ count: 1, millisecondsLeft: 60_000 });
  vi.advanceTimersByTime(20_000);
  expect(await counter.add('a')).toEqual({ count: 2, millisecondsLeft: 40_000 });
  await counter.takeBack('a');
  expect(await counter.add('a')).toEqual({ count: 2, millisecondsLeft: 40_000 });
  expect(await counter.add('b')).toMatchObject({ count: 1 });
  vi.advanceTimersByTime(40_000);
  expect(await counter.add('a')).toEqual({ count: 1, millisecondsLeft: 60_000 });
});

it('forgets whoever stays quiet, with all that belongs to it', async () => {
  const counter = createMemoryCounter();
  for (let index = 0; index < 1_000; index += 1) await counter.add(String(index));
  expect(vi.getTimerCount()).toBe(1_000);
  vi.advanceTimersByTime(60_000);
  expect(vi.getTimerCount()).toBe(0);
});
