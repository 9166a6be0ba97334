import type { FastifyRequest } from 'fastify';
import { type IdempotencyService, type RecordAnswer, recordNothing } from '../idempotency/service.ts';
import { workspaceOf } from './access.ts';

export type Idempotent = <Answer>(
  request: FastifyRequest,
  work: (record: RecordAnswer<Answer>) => Promise<Answer>,
) => Promise<Answer>;

/** Does a request's work once per Idempotency-Key; without the header, simply does it. */
export function createIdempotent(idempotency: IdempotencyService): Idempotent {
  return (request, work) => {
    const key = request.headers['idempotency-key'];
    if (typeof key !== 'string') return work(recordNothing);
    const fingerprint = {
      operation: `${request.method} ${request.routeOptions.url}`,
      params: request.params,
      query: request.query,
      body: request.body,
    };
    return idempotency.once({ workspaceId: workspaceOf(request), key, fingerprint }, work);
  };
}
