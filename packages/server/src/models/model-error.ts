import { errorCodes } from '@svc/contract/errors';
import { AppError } from '../lib/app-error.ts';
import { classifyFailure, type ModelErrorCode, type ProviderFailure } from './classify-failure.ts';
import { redact } from './redact.ts';
import { isUnreached } from './unreached.ts';

/** A failed reply. Its message is our own sentence; its cause is the provider's text without keys. */
export class ModelError extends AppError {
  /** Whether another attempt soon may succeed. */
  readonly worthRetrying: boolean;
  readonly retryAfterMs: number | undefined;
  /** The provider was not reached, or refused the request: it counts nothing unless the reply had started. */
  readonly isUncounted: boolean;
  /** The provider found fault with the request itself: for example, with an option that the model does not have. */
  readonly isBadRequest: boolean;

  constructor(
    code: ModelErrorCode,
    options: {
      message: string;
      cause?: Error;
      worthRetrying?: boolean;
      retryAfterMs?: number | undefined;
      isUncounted?: boolean;
      isBadRequest?: boolean | undefined;
    },
  ) {
    super(code, { message: options.message, cause: options.cause });
    this.worthRetrying = options.worthRetrying ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.isUncounted = options.isUncounted ?? false;
    this.isBadRequest = options.isBadRequest ?? false;
  }
}

/** The model that failed, and the secrets that must not appear in its errors. */
export interface ModelIdentity {
  provider: string;
  modelName: string;
  secrets: readonly string[];
}

export function providerRefused(identity: ModelIdentity, failure: ProviderFailure): ModelError {
  const { code, sentence, isBadRequest } = classifyFailure(identity, failure);
  return new ModelError(code, {
    message: sentence,
    cause: new Error(`status ${failure.status ?? 'none'}: ${redact(failure.body, identity.secrets)}`),
    worthRetrying: code === 'MODEL_RATE_LIMITED' || code === 'MODEL_UNAVAILABLE',
    retryAfterMs: parseRetryAfter(failure, Date.now()),
    isUncounted: true,
    isBadRequest,
  });
}

export function connectionFailed(identity: ModelIdentity, error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  return new ModelError('MODEL_UNAVAILABLE', {
    message: `The model provider ${identity.provider} could not be reached or closed the connection.`,
    cause: new Error(redact(describeDeepest(error), identity.secrets)),
    worthRetrying: true,
    isUncounted: isUnreached(error),
  });
}

export function replyBroken(identity: ModelIdentity, what: string): ModelError {
  return new ModelError('MODEL_UNAVAILABLE', {
    message: `The reply of the model provider ${identity.provider} ${what}.`,
    worthRetrying: true,
  });
}

/** The innermost error names the address and the system's code; the outer ones are only "fetch failed". */
function describeDeepest(error: unknown): string {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error && current.cause instanceof Error; depth += 1) {
    current = current.cause;
  }
  return current instanceof Error ? `${current.name}: ${current.message}` : 'unknown failure';
}

const googleDelay = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/;

/** How long the provider wants us to wait, in any of the formats in use. */
export function parseRetryAfter(failure: ProviderFailure, now: number): number | undefined {
  const milliseconds = header(failure, 'retry-after-ms');
  if (milliseconds !== undefined && isCount(milliseconds)) return Number(milliseconds);
  const value = header(failure, 'retry-after');
  if (value !== undefined) return isCount(value) ? Number(value) * 1000 : untilDate(value, now);
  const inBody = googleDelay.exec(failure.body)?.[1];
  return inBody === undefined ? undefined : Number(inBody) * 1000;
}

function header(failure: ProviderFailure, name: string): string | undefined {
  const value = failure.headers?.[name];
  return Array.isArray(value) ? value[0] : value;
}

function isCount(value: string): boolean {
  return /^\d+(?:\.\d+)?$/.test(value.trim());
}

function untilDate(value: string, now: number): number | undefined {
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** Whether the same request can succeed later. One that the provider refused cannot, whatever it was asked for. */
export function isRetryable(error: AppError): boolean {
  const { cause } = error;
  return (
    errorCodes[error.code].retryable && !(cause instanceof ModelError && !errorCodes[cause.code].retryable)
  );
}
