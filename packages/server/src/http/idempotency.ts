import type { FastifyRequest } from 'fastify';
import { endUserRecordKey } from '../idempotency/end-user-record-key.ts';
import {
  type IdempotencyService,
  type OnceOptions,
  type RecordAnswer,
  recordNothing,
} from '../idempotency/idempotency.service.ts';
import { AppError } from '../lib/app-error.ts';
import { workspaceOf } from './access.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation does its work through `Idempotent`. */
    idempotent?: boolean;
  }
}

/** The header either works or is refused, so that no client relies on protection that is not there. */
export function refuseUselessKey({ headers, method, routeOptions }: FastifyRequest): void {
  if (headers['idempotency-key'] === undefined || routeOptions.config.idempotent) return;
  const problem =
    method === 'POST'
      ? 'has no effect here: send this request without it'
      : `has no effect on ${method}, which can be repeated as it is: send it only with POST`;
  throw new AppError('VALIDATION_FAILED', {
    message: `Idempotency-Key ${problem}.`,
    details: [{ path: 'idempotency-key', message: problem }],
  });
}

/** The caller's Idempotency-Key; undefined without one. */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  return typeof key === 'string' ? key : undefined;
}

export type Idempotent = <Answer>(
  request: FastifyRequest,
  work: (record: RecordAnswer<Answer>) => Promise<Answer>,
  options?: OnceOptions,
) => Promise<Answer>;

/** Does a request's work once per Idempotency-Key; without the header, every time. */
export function createIdempotent(idempotency: IdempotencyService): Idempotent {
  return (request, work, options) => {
    const given = idempotencyKeyOf(request);
    if (given === undefined) return work(recordNothing);
    const { endUser, principal } = request;
    const key = endUser ? endUserRecordKey(endUser, given) : given;
    const fingerprint = {
      operation: `${request.method} ${request.routeOptions.url}`,
      params: request.params,
      query: request.query,
      body: request.body,
    };
    const once = { workspaceId: workspaceOf(request), key, caller: principal?.keyId, fingerprint };
    return idempotency.once(once, work, options);
  };
}
