import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createPacer } from './pacer.ts';

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] }),
);
afterEach(() => void vi.useRealTimers());

it('ticks every 20 ms without drift, and reports what a stall has swallowed', () => {
  const errors: unknown[] = [];
  let stalledMs = 0;
  const now = () => performance.now() + stalledMs;
  const pacer = createPacer({ onError: (error) => errors.push(error), now });
  const played: number[] = [];
  const heard: number[] = [];
  const remove = pacer.add({ play: (frames) => played.push(frames), listen: (frames) => heard.push(frames) });
  const removeFailing = pacer.add({
    play: () => {
      throw new Error('broken line');
    },
    listen: () => undefined,
  });
  vi.advanceTimersByTime(1_001);
  expect(played).toHaveLength(50);
  expect(errors).toHaveLength(50);
  removeFailing();
  // The process is held up for 110 ms.
  stalledMs += 110;
  vi.advanceTimersByTime(20);
  expect(played.slice(50).reduce((sum, frames) => sum + frames, 0)).toBe(6);
  expect(Math.max(...played)).toBeGreaterThan(1);
  vi.advanceTimersByTime(1_000);
  const total = (frames: number[]) => frames.reduce((sum, count) => sum + count, 0);
  expect(total(played)).toBe(Math.floor((2_021 + 110) / 20));
  expect(total(heard)).toBe(total(played));
  remove();
  vi.advanceTimersByTime(1_000);
  expect(vi.getTimerCount()).toBe(0);
});
