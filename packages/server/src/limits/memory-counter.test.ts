import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createMemoryCounter } from './memory-counter.ts';
import type { Quota } from './request-counter.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const quota = (name: string, limit = 10): Quota => ({ name, limit, windowSeconds: 60 });

it('counts by name within a window that starts with the first request', async () => {
  const counter = createMemoryCounter();
  const add = (name: string) => counter.add([quota(name)]);
  expect(await add('a')).toMatchObject({ isAdmitted: true, count: 1, millisecondsLeft: 60_000 });
  vi.advanceTimersByTime(20_000);
  const second = await add('a');
  expect(second).toMatchObject({ count: 2, millisecondsLeft: 40_000 });
  await counter.takeBack(second);
  expect(await add('a')).toMatchObject({ count: 2, millisecondsLeft: 40_000 });
  expect(await add('b')).toMatchObject({ count: 1 });
  const hour = { ...quota('c'), windowSeconds: 3_600 };
  expect(await counter.add([hour])).toMatchObject({ count: 1, millisecondsLeft: 3_600_000 });
  vi.advanceTimersByTime(40_000);
  expect(await add('a')).toMatchObject({ count: 1, millisecondsLeft: 60_000 });
});

it('counts a request against all of its quotas or against none', async () => {
  const counter = createMemoryCounter();
  const wide = quota('wide', 3);
  const narrow = (name: string) => [quota(name, 2), wide];
  const admitted: boolean[] = [];
  for (const name of ['a', 'a', 'a', 'b', 'b']) admitted.push((await counter.add(narrow(name))).isAdmitted);
  expect(admitted).toEqual([true, true, false, true, false]);
  expect(await counter.add([quota('b', 2)])).toMatchObject({ isAdmitted: true, count: 2 });
});

it('takes nothing back from a later window', async () => {
  const counter = createMemoryCounter();
  const earlier = await counter.add([quota('a')]);
  vi.advanceTimersByTime(61_000);
  await counter.takeBack(earlier);
  expect(await counter.add([quota('a')])).toMatchObject({ count: 1 });
  vi.advanceTimersByTime(1_000);
  await counter.takeBack({ ...earlier, millisecondsLeft: 30_000 });
  expect(await counter.add([quota('a')])).toMatchObject({ count: 2 });
});

it('forgets quotas when their windows are over, with everything that belongs to them', async () => {
  const counter = createMemoryCounter();
  for (let index = 0; index < 1_000; index += 1) await counter.add([quota(String(index))]);
  expect(vi.getTimerCount()).toBe(1_000);
  vi.advanceTimersByTime(60_000);
  expect(vi.getTimerCount()).toBe(0);
});
