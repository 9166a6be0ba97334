import { AppError } from '../lib/app-error.ts';
import { ModelError } from '../models/model-error.ts';

export interface FailureCause {
  /** The field of the request that caused it. */
  path?: string;
  /** The error code of a model provider's failure. */
  code?: string;
  message: string;
}

/** The draft failed although the request is valid; `details` has the cause. */
export function draftFailed(message: string, details: readonly FailureCause[], cause?: unknown): AppError {
  return new AppError('UPSTREAM_FAILED', {
    message,
    details: details.map((detail) => ({ ...detail })),
    cause,
  });
}

/** Turns a model's failure into one of the draft; internal errors and a used-up balance stay as they are. */
export function asDraftFailure(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const { code, message, details = [] } = error;
  if (error instanceof ModelError) return draftFailed(message, [{ code, message }], error);
  return code === 'UPSTREAM_FAILED' && details.length === 0
    ? draftFailed(message, [{ message }], error)
    : error;
}

/** A faulty document is the caller's error when it was sent, but a failed draft when it was fetched. */
export function asFetchFailure(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'VALIDATION_FAILED') return error;
  const { message, details = [] } = error;
  const causes = details.flatMap((detail) =>
    'path' in detail ? [{ path: String(detail.path), message: String(detail['message']) }] : [],
  );
  return draftFailed(message, causes.length > 0 ? causes : [{ path: 'url', message }], error);
}
