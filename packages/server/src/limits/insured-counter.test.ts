import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createInsuredCounter } from './insured-counter.ts';
import { createMemoryCounter } from './memory-counter.ts';
import type { Quota, RequestCounter } from './request-counter.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const quotas: Quota[] = [{ name: 'a', limit: 10, windowSeconds: 60 }];

/** A shared counter that works, fails or never answers, insured. */
function createInsured(maxMilliseconds = 200) {
  const memory = createMemoryCounter();
  const state = { is: 'working' as 'working' | 'failing' | 'silent', uses: 0 };
  const logged: string[] = [];
  async function asItIs<Result>(work: () => Promise<Result>): Promise<Result> {
    state.uses += 1;
    if (state.is === 'failing') throw new Error('The store is away.');
    if (state.is === 'silent') await new Promise(() => undefined);
    return work();
  }
  const shared: RequestCounter = {
    add: (given) => asItIs(() => memory.add(given)),
    takeBack: (counted) => asItIs(() => memory.takeBack(counted)),
  };
  const log = pino(
    {},
    { write: (line: string) => void logged.push((JSON.parse(line) as { msg: string }).msg) },
  );
  const options = { shared, local: createMemoryCounter(), store: 'Redis', maxMilliseconds, log };
  return Object.assign(state, { counter: createInsuredCounter(options), memory, logged });
}

it('counts here while the store fails, returns by itself, and logs each once', async () => {
  const insured = createInsured();
  const { counter, logged } = insured;
  expect(await counter.add(quotas)).toMatchObject({ count: 1 });
  insured.is = 'failing';
  for (const count of [1, 2, 3]) expect(await counter.add(quotas)).toMatchObject({ count });
  expect(insured.uses).toBe(2);
  vi.advanceTimersByTime(1_000);
  expect(await counter.add(quotas)).toMatchObject({ count: 4 });
  expect(insured.uses).toBe(3);
  insured.is = 'working';
  vi.advanceTimersByTime(1_000);
  // This one is counted in both.
  expect(await counter.add(quotas)).toMatchObject({ count: 5 });
  await vi.advanceTimersByTimeAsync(0);
  expect(await counter.add(quotas)).toMatchObject({ count: 3 });
  expect(logged).toEqual([
    'Requests cannot be counted in Redis: each process counts its own until they can.',
    'Requests are counted in Redis again.',
  ]);
});

it('waits for a store that does not answer once, and no longer than allowed', async () => {
  const insured = createInsured();
  const { counter } = insured;
  insured.is = 'silent';
  const waiting = counter.add(quotas);
  await vi.advanceTimersByTimeAsync(200);
  expect(await waiting).toMatchObject({ count: 1 });
  expect(await counter.add(quotas)).toMatchObject({ count: 2 });
  vi.advanceTimersByTime(1_000);
  expect(await counter.add(quotas)).toMatchObject({ count: 3 });
  expect(insured.uses).toBe(2);
});

it('retries one at a time', async () => {
  const insured = createInsured(5_000);
  const { counter, logged } = insured;
  insured.is = 'silent';
  const waiting = counter.add(quotas);
  await vi.advanceTimersByTimeAsync(5_000);
  await waiting;
  for (let second = 0; second < 4; second += 1) {
    await vi.advanceTimersByTimeAsync(1_000);
    await counter.add(quotas);
  }
  expect(insured.uses).toBe(2);
  expect(logged).toHaveLength(1);
});

it('takes back where it was counted, even if the store fails meanwhile', async () => {
  const insured = createInsured();
  const { counter, memory } = insured;
  const there = await counter.add(quotas);
  insured.is = 'failing';
  await counter.takeBack(there);
  const here = await counter.add(quotas);
  expect(await counter.add(quotas)).toMatchObject({ count: 2 });
  await counter.takeBack(here);
  expect(await counter.add(quotas)).toMatchObject({ count: 2 });
  insured.is = 'working';
  await counter.takeBack(there);
  expect(await memory.add(quotas)).toMatchObject({ count: 1 });
});
