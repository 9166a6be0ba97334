import type { ErrorCode } from '@svc/contract/errors';
import { AppError } from '../../app-error.ts';

/** About the message itself. All others can name models, tools, machines and their directories. */
const ofMessages: ReadonlySet<ErrorCode> = new Set([
  'NOT_FOUND',
  'VALIDATION_FAILED',
  'TURN_IN_PROGRESS',
  'RATE_LIMITED',
]);

/** The error as an end user sees it: for most of them, only what the code means. */
export function toEndUserError(error: unknown): unknown {
  if (!(error instanceof AppError) || ofMessages.has(error.code)) return error;
  const { code, retryAfterSeconds } = error;
  return new AppError(code, { cause: error, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
}
