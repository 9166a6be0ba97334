import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { watchTokens } from './time-limits.ts';

const limits = { firstTokenMs: 100, betweenTokensMs: 30 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the watch over a reply', () => {
  test('gives the first token its time', () => {
    const watch = watchTokens(limits, new AbortController().signal);
    vi.advanceTimersByTime(99);
    expect(watch.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(watch.signal.reason).toMatchObject({ code: 'MODEL_UNAVAILABLE', worthRetrying: false });
  });

  test('then every token the shorter one', () => {
    const watch = watchTokens(limits, new AbortController().signal);
    for (let count = 0; count < 10; count += 1) {
      watch.onToken(1);
      vi.advanceTimersByTime(29);
    }
    expect(watch.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(watch.signal.aborted).toBe(true);
  });

  test('follows the caller, and leaves nothing behind', () => {
    const caller = new AbortController();
    const watch = watchTokens(limits, caller.signal);
    caller.abort(new Error('enough'));
    expect(watch.signal.reason).toMatchObject({ message: 'enough' });
    watch.stop(false);
    expect(vi.getTimerCount()).toBe(0);
    expect(watchTokens(limits, caller.signal).signal.aborted).toBe(true);
  });

  test('stopped, it aborts nothing unless it is told to', () => {
    const quiet = watchTokens(limits, new AbortController().signal);
    quiet.stop(false);
    vi.advanceTimersByTime(1_000);
    expect(quiet.signal.aborted).toBe(false);
    const ended = watchTokens(limits, new AbortController().signal);
    ended.stop(true);
    expect(ended.signal.aborted).toBe(true);
  });
});
