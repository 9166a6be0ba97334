import { AppError } from '../app-error.ts';
import { ModelError } from '../models/model-error.ts';

export interface FailureCause {
  /** The field of the request that led there. */
  path?: string;
  /** What a model provider's failure is called elsewhere. */
  code?: string;
  message: string;
}

/** A draft that failed, not for what the request itself says. The caller finds the cause in `details`. */
export function draftFailed(message: string, details: readonly FailureCause[], cause?: unknown): AppError {
  return new AppError('UPSTREAM_FAILED', {
    message,
    details: details.map((detail) => ({ ...detail })),
    cause,
  });
}

/** A model's failure as one of the draft; what is a failure of ours or of the balance stays what it is. */
export function asDraftFailure(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const { code, message, details = [] } = error;
  if (error instanceof ModelError) return draftFailed(message, [{ code, message }], error);
  return code === 'UPSTREAM_FAILED' && details.length === 0
    ? draftFailed(message, [{ message }], error)
    : error;
}

/** What is wrong with a document is the caller's to mend if it was sent, and a failed draft if it was fetched. */
export function asFetchFailure(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'VALIDATION_FAILED') return error;
  const { message, details = [] } = error;
  const causes = details.flatMap((detail) =>
    'path' in detail ? [{ path: String(detail.path), message: String(detail['message']) }] : [],
  );
  return draftFailed(message, causes.length > 0 ? causes : [{ path: 'url', message }], error);
}
