import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSpinner } from './spinner.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** What stands on the line: everything after the last time that it was erased. */
function spinnerOn({ columns = 80, mayDraw = (): boolean => true } = {}) {
  let written = '';
  const spinner = createSpinner({ write: (text) => void (written += text), columns: () => columns, mayDraw });
  return { spinner, line: () => written.split('\u001B[2K').at(-1), all: () => written };
}

it('says what is running and for how long, and leaves nothing behind', () => {
  const { spinner, line } = spinnerOn();
  spinner.set('run_command npm test');
  vi.advanceTimersByTime(130);
  expect(line()).toMatch(/^\S run_command npm test$/);
  vi.advanceTimersByTime(3_000);
  expect(line()).toMatch(/^\S run_command npm test 3 s$/);
  spinner.set(undefined);
  expect(line()).toBe('');
  vi.advanceTimersByTime(1_000);
  expect(line()).toBe('');
});

it('never wraps, and draws nothing where something else stands', () => {
  const narrow = spinnerOn({ columns: 30 });
  narrow.spinner.set('x'.repeat(200));
  vi.advanceTimersByTime(2_000);
  expect(narrow.line()?.length).toBeLessThan(30);
  const quiet = spinnerOn({ mayDraw: () => false });
  quiet.spinner.set('thinking');
  vi.advanceTimersByTime(2_000);
  expect(quiet.all()).toBe('');
});
