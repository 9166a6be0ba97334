import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { answerInTime } from './answer-in-time.ts';

it('passes on the answer or the failure', async () => {
  expect(await answerInTime(1_000, Promise.resolve(1))).toBe(1);
  await expect(answerInTime(1_000, Promise.reject(new Error('away')))).rejects.toThrow('away');
});

it('does not wait for an answer that never comes', async () => {
  await expect(answerInTime(20, new Promise(() => undefined))).rejects.toThrow('within 20 ms');
});

it('waits for an answer that is only late because this process was busy', async () => {
  const answer = answerInTime(50, sleep(20, 'answer'));
  const busyUntil = performance.now() + 100;
  while (performance.now() < busyUntil);
  expect(await answer).toBe('answer');
});
