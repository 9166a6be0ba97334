import { expect, it } from 'vitest';
import { createPlayoutQueue } from './playout-queue.ts';

it('plays audio of any length in frames and tells how far it is', () => {
  const queue = createPlayoutQueue(() => 'mulaw-8000');
  expect(queue.next()).toBeUndefined();
  queue.push(Buffer.alloc(100, 1));
  queue.push(Buffer.alloc(240, 2));
  expect(queue.queuedMs).toBe(42.5);
  expect(queue.next()).toEqual(Buffer.concat([Buffer.alloc(100, 1), Buffer.alloc(60, 2)]));
  expect(queue.playedMs).toBe(20);
  queue.next();
  expect(queue.next()).toEqual(Buffer.concat([Buffer.alloc(20, 2), Buffer.alloc(140, 0xff)]));
  expect([queue.playedMs, queue.queuedMs]).toEqual([42.5, 42.5]);
});

it('counts the bytes of wider sound', () => {
  const queue = createPlayoutQueue(() => 'pcm16-16000');
  queue.push(Buffer.alloc(1_000, 1));
  expect(queue.queuedMs).toBe(31.25);
  expect(queue.next()).toEqual(Buffer.alloc(640, 1));
  expect(queue.next()).toEqual(Buffer.concat([Buffer.alloc(360, 1), Buffer.alloc(280)]));
});

it('discards what was not played', () => {
  const queue = createPlayoutQueue(() => 'mulaw-8000');
  queue.push(Buffer.alloc(800, 1));
  queue.next();
  queue.clear();
  expect([queue.playedMs, queue.queuedMs, queue.next()]).toEqual([20, 20, undefined]);
});
