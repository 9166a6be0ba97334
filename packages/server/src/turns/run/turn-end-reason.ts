import type { ErrorCode } from '@svc/contract/errors';
import { AppError } from '../../lib/app-error.ts';
import type { RunEnd } from '../../runs/runs.service.ts';
import { StopRequested } from './lease.ts';

const statuses: Partial<Record<ErrorCode, RunEnd['status']>> = {
  RUN_TIMED_OUT: 'timed_out',
  MAX_ITERATIONS_REACHED: 'max_iterations_reached',
};

/** Pure: how a run ends that does not reach its goal. */
export function runEnd(reason: unknown, endedAt: Date): RunEnd {
  if (reason instanceof StopRequested) {
    return { status: 'interrupted', finalOutput: null, error: null, endedAt };
  }
  const error = turnError(reason);
  return { status: statuses[error.code] ?? 'failed', finalOutput: null, error, endedAt };
}

/** What is stored of the reason for which a turn or a run failed. */
export function turnError(reason: unknown): { code: ErrorCode; message: string } {
  const { code, message } = errorOf(reason);
  return { code, message };
}

/** The error to show: only our own errors have messages that are safe to show. */
export function errorOf(reason: unknown): AppError {
  return reason instanceof AppError ? reason : new AppError('INTERNAL', { cause: reason });
}
