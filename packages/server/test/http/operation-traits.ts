import type { Operation } from '../support/operations.ts';

export function isWebSocket({ responses }: Operation): boolean {
  return responses['101'] !== undefined;
}

/** A metadata object accepts any name. */
export function takesNamedFields({ body }: Operation): boolean {
  return body !== undefined && body.schema['x-error-code'] === undefined;
}

export function withoutRequestId(body: unknown) {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return body;
  const { request_id: _requestId, ...rest } = body as Record<string, unknown>;
  return rest;
}

/** What must be the same when a request is repeated: of a stream, the stored events, which are numbered. */
export function repeatable(body: unknown) {
  if (typeof body !== 'string' || !/^event: /m.test(body)) return withoutRequestId(body);
  return [...body.matchAll(/^id: (\d+)\nevent: (.+)\ndata: (.+)$/gm)].map(([, id, event, data = '']) => ({
    id,
    event,
    data: JSON.parse(data) as unknown,
  }));
}
