import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { waitAtMost } from './wait-at-most.ts';

it('waits for the work, and fails if the work does', async () => {
  let isDone = false;
  const work = async () => {
    await sleep(5);
    isDone = true;
  };
  expect(await waitAtMost(60_000, work())).toBe(true);
  expect(isDone).toBe(true);
  await expect(waitAtMost(60_000, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});

it('waits no longer than it was told, and ignores a failure after that', async () => {
  const late = Promise.withResolvers<void>();
  expect(await waitAtMost(5, late.promise)).toBe(false);
  late.reject(new Error('too late to matter'));
  await sleep(5);
});
