import { expect, it } from 'vitest';
import { createFairQueue } from './fair-queue.ts';

const nobodyIsBusy = () => false;

it('lets owners take turns', () => {
  const queue = createFairQueue<number>({ perOwner: 10, total: 20 });
  for (const [owner, job] of [
    ['a', 1],
    ['a', 2],
    ['a', 3],
    ['b', 4],
    ['c', 5],
    ['b', 6],
  ] as const)
    queue.add(owner, job);
  const taken = Array.from({ length: 7 }, () => queue.take(nobodyIsBusy)?.job);
  expect(taken).toEqual([1, 4, 5, 2, 6, 3, undefined]);
});

it('passes over those who are busy', () => {
  const queue = createFairQueue<number>({ perOwner: 10, total: 20 });
  queue.add('a', 1);
  queue.add('b', 2);
  expect(queue.take((owner) => owner === 'a')).toEqual({ owner: 'b', job: 2 });
  expect(queue.take((owner) => owner === 'a')).toBeUndefined();
  expect(queue.drain()).toEqual([1]);
  expect(queue.take(nobodyIsBusy)).toBeUndefined();
});

it('has an end, for each owner and for all', () => {
  const queue = createFairQueue<number>({ perOwner: 2, total: 3 });
  expect([queue.add('a', 1), queue.add('a', 2), queue.add('a', 3)]).toEqual([true, true, false]);
  expect([queue.add('b', 4), queue.add('c', 5)]).toEqual([true, false]);
  queue.take(nobodyIsBusy);
  expect(queue.add('c', 5)).toBe(true);
});
