import { type ErrorCode, errorCodes, type FieldError } from '@svc/contract/errors';

export interface AppErrorOptions {
  /** One plain sentence for the caller; the code's own sentence when left out. */
  message?: string;
  details?: readonly (FieldError | Record<string, unknown>)[];
  /** When it is worth trying again: told in the header Retry-After. */
  retryAfterSeconds?: number;
  /** What went wrong inside: logged, never sent. */
  cause?: unknown;
}

/** The one error of the domain. It carries a code and knows nothing of HTTP. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: AppErrorOptions['details'];
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.message ?? errorCodes[code].message, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

export function notFound(): AppError {
  return new AppError('NOT_FOUND');
}

export function invalid(path: string, message: string): AppError {
  return new AppError('VALIDATION_FAILED', { message: `${path} ${message}`, details: [{ path, message }] });
}
