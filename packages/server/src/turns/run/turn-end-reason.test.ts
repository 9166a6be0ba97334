import { expect, it } from 'vitest';
import { AppError } from '../../lib/app-error.ts';
import { StopRequested } from './lease.ts';
import { runEnd } from './turn-end-reason.ts';

const now = new Date();

it.each([
  [new AppError('RUN_TIMED_OUT'), 'timed_out', 'RUN_TIMED_OUT'],
  [new AppError('MAX_ITERATIONS_REACHED'), 'max_iterations_reached', 'MAX_ITERATIONS_REACHED'],
  [new AppError('MODEL_REJECTED'), 'failed', 'MODEL_REJECTED'],
  [new Error('password=hunter2'), 'failed', 'INTERNAL'],
])('%s ends a run as %s', (reason, status, code) => {
  const end = runEnd(reason, now);
  expect(end).toMatchObject({ status, finalOutput: null, error: { code }, endedAt: now });
  expect(end.error?.message).not.toContain('hunter2');
});

it('a stop is not an error', () => {
  expect(runEnd(new StopRequested('api'), now)).toMatchObject({ status: 'interrupted', error: null });
});
