import type { FastifyReply } from 'fastify';

/** What scripts of a page may read of an answer, beyond what browsers always show them. */
const exposedHeaders =
  'X-Request-Id, Retry-After, Link, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset';
const allowedHeaders = 'authorization, content-type, idempotency-key, last-event-id';
const preflightSeconds = 600;

/** Exact origins, such as `https://app.example.com`, whose pages may send requests with an end-user token. */
export type AllowedOrigins = ReadonlySet<string>;

/** Lets scripts of this origin read the answer. Cookies play no part, so credentials are never allowed. */
export function allowOrigin(reply: FastifyReply, origin: string): void {
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': exposedHeaders,
    vary: 'Origin',
  });
}

/** Lets pages of this origin send the request that a preflight asks about. */
export function allowRequest(reply: FastifyReply, origin: string, method: string): void {
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-allow-methods': method,
    'access-control-allow-headers': allowedHeaders,
    'access-control-max-age': preflightSeconds,
    vary: 'Origin',
  });
}
