import { setTimeout as sleep } from 'node:timers/promises';
import type { ErrorBody } from '@svc/contract/common';
import { type ErrorCode, errorCodes } from '@svc/contract/errors';
import type { ErrorObject } from 'ajv';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isConnectionFailure } from '../database/database.ts';
import { AppError, notFound } from '../lib/app-error.ts';
import { ContinuesElsewhere } from '../lib/continues-elsewhere.ts';
import { validationError } from '../validation/checker.ts';
import { isForPage, sendNothingHere } from './nothing-here.ts';

/** Translates errors of the framework, the validator and the database into an AppError. */
function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { code, statusCode, validation, validationContext } = error as Partial<FastifyError>;
  // An error with a status comes from the caller's connection, which broke during the body, not from the database.
  if (statusCode === undefined && isConnectionFailure(error))
    return new AppError('NOT_READY', { cause: error });
  // The node stops while a request waits for something that only turns continue elsewhere.
  if (error instanceof ContinuesElsewhere) return new AppError('NOT_READY');
  // A malformed id in a path is treated like an unknown one.
  if (validation && validationContext === 'params') return notFound();
  if (validation) return validationError(validation as ErrorObject[]);
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new AppError('PAYLOAD_TOO_LARGE');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new AppError('UNSUPPORTED_MEDIA_TYPE');
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new AppError('VALIDATION_FAILED', {
      message: 'The body could not be read as JSON.',
      cause: error,
    });
  }
  return new AppError('INTERNAL', { cause: error });
}

/** An operation can declare one code for bodies that are too large or of another type. */
function asDeclared(error: AppError, { routeOptions }: FastifyRequest): AppError {
  const { badBody } = routeOptions.config;
  const isBadBody = error.code === 'PAYLOAD_TOO_LARGE' || error.code === 'UNSUPPORTED_MEDIA_TYPE';
  return badBody && isBadBody ? new AppError(badBody, { message: error.message, cause: error }) : error;
}

/** Errors about the request itself. The message of any other can describe the workspace, its tools or its providers. */
const aboutRequests: ReadonlySet<ErrorCode> = new Set([
  'VALIDATION_FAILED',
  'METADATA_INVALID',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_FOUND',
  'TURN_IN_PROGRESS',
  'RATE_LIMITED',
]);

/** End users get the general message of a code where its own could tell too much. */
function asSeen(error: AppError, { endUser }: FastifyRequest): AppError {
  if (!endUser || aboutRequests.has(error.code)) return error;
  const { retryAfterSeconds, cause } = error;
  return new AppError(error.code, { ...(retryAfterSeconds !== undefined && { retryAfterSeconds }), cause });
}

export function toErrorBody(error: AppError, requestId: string): ErrorBody {
  return {
    success: false,
    code: error.code,
    message: error.message,
    ...(error.details && { details: [...error.details] as Record<string, unknown>[] }),
    request_id: requestId,
  };
}

export async function handleError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const appError = asSeen(asDeclared(toAppError(error), request), request);
  const { status } = errorCodes[appError.code];
  // A node that stops is asked every second whether it is ready; the line of the request says enough.
  const isRefusal = appError.code === 'NOT_READY' && appError.cause === undefined;
  if (status >= 500 && !isRefusal) {
    const { id: request_id, log } = request;
    log.error({ request_id, err: error, code: appError.code }, 'The request failed.');
  }
  if (appError.code === 'RATE_LIMITED') await pauseRefusal();
  if (appError.code === 'UNAUTHORIZED') reply.header('www-authenticate', 'Bearer');
  if (appError.code === 'UPGRADE_REQUIRED')
    reply.headers({ upgrade: 'websocket', connection: 'upgrade, close' });
  // The rest of the body is not read.
  if (appError.code === 'REQUEST_TIMEOUT') reply.header('connection', 'close');
  if (appError.retryAfterSeconds !== undefined) reply.header('retry-after', appError.retryAfterSeconds);
  // Requests that fail before the first hook do not have it yet.
  reply.header('x-request-id', request.id);
  if (appError.code === 'NOT_FOUND' && isForPage(request)) return void (await sendNothingHere(reply));
  await reply.code(status).type('application/json').send(toErrorBody(appError, request.id));
}

const pauseMilliseconds = 1_000;
const maxWaiting = 10_000;
let waiting = 0;

/**
 * Delays the answer that a rate limit is exceeded. A client that retries immediately would otherwise be refused thousands of
 * times a second, at the cost of everyone else. The delay is never longer than Retry-After says.
 */
async function pauseRefusal(): Promise<void> {
  // This many are not one client in a loop, and delaying more would only use memory.
  if (waiting >= maxWaiting) return;
  waiting += 1;
  try {
    await sleep(pauseMilliseconds);
  } finally {
    waiting -= 1;
  }
}
