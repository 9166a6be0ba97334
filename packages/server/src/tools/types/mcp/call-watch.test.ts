import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createCallWatch } from './call-watch.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function watched() {
  const onTimeout = vi.fn();
  return { onTimeout, watch: createCallWatch({ maxSilenceMs: 60, maxCallMs: 200, onTimeout }) };
}

it('ends a call after a silence, or when it takes too long', () => {
  const silent = watched();
  vi.advanceTimersByTime(59);
  expect(silent.onTimeout).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(silent.onTimeout).toHaveBeenCalledTimes(1);
  const talkative = watched();
  for (let passed = 0; passed < 190; passed += 10) {
    talkative.watch.heard();
    vi.advanceTimersByTime(10);
  }
  expect(talkative.onTimeout).not.toHaveBeenCalled();
  vi.advanceTimersByTime(10);
  expect(talkative.onTimeout).toHaveBeenCalledTimes(1);
  silent.watch.stop();
  talkative.watch.stop();
});

it('does not count the time in which people are asked', async () => {
  const { watch, onTimeout } = watched();
  let answer = () => undefined as void;
  const asked = watch.whileAsking(
    () =>
      new Promise<void>((resolve) => {
        answer = resolve;
      }),
  );
  watch.heard();
  vi.advanceTimersByTime(10_000);
  expect(onTimeout).not.toHaveBeenCalled();
  answer();
  await asked;
  vi.advanceTimersByTime(60);
  expect(onTimeout).toHaveBeenCalledTimes(1);
  watch.stop();
});

it('counts all time in which no one is asked together, and none after the call', async () => {
  const { watch, onTimeout } = watched();
  for (const answeredAfter of [1_000, 2_000, 3_000]) {
    vi.advanceTimersByTime(50);
    await watch.whileAsking(async () => void vi.advanceTimersByTime(answeredAfter));
  }
  vi.advanceTimersByTime(49);
  expect(onTimeout).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onTimeout).toHaveBeenCalledTimes(1);
  const ended = watched();
  await ended.watch.whileAsking(async () => ended.watch.stop());
  ended.watch.heard();
  expect(vi.getTimerCount()).toBe(1);
  watch.stop();
});
