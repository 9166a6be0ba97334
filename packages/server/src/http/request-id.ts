import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { newId } from '../lib/new-id.ts';

const traceParent = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The trace that the request belongs to, if its caller has an account key or a session: others must not write into the operator's traces. */
export function traceParentOf({ headers, principal }: FastifyRequest): string | undefined {
  const { traceparent: sent } = headers;
  return principal && typeof sent === 'string' && traceParent.test(sent) ? sent : undefined;
}

/** It is copied into answers and logs, so only harmless characters are accepted. */
const usable = /^[\w.:-]{1,100}$/;

/** The caller's own id of a request, so that both sides log the same one; a new one if it sent none or an unusable one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && usable.test(sent) ? sent : newId();
}
