import { type ErrorCode, errorCodes, type FieldError } from '@svc/contract/errors';

export interface AppErrorOptions {
  /** One plain sentence for the caller; defaults to the code's own message. */
  message?: string;
  details?: readonly (FieldError | Record<string, unknown>)[];
  /** When it is worth trying again; sent as the Retry-After header. */
  retryAfterSeconds?: number;
  /** What went wrong inside: logged, never sent. */
  cause?: unknown;
}

/** The one domain error. It carries a code and knows nothing about HTTP. */
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
