import { pipeline, Readable, Transform } from 'node:stream';
import { parseTarget } from './destination.ts';
import { EgressFailed } from './egress-error.ts';
import type { Hop } from './redirect.ts';
import { prepareHeaders } from './request-headers.ts';
import type { Head, SendOptions } from './send-outbound.ts';

type Send = (hop: Hop, options: SendOptions) => Promise<Head>;

const maxBytes = 16 * 1024 * 1024;
const bodyless = new Set([101, 204, 205, 304]);
/** Headers that another origin may see. Libraries send secrets under names of their own, so all other headers are kept back. */
const harmless = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-language',
  'content-type',
  'user-agent',
]);

/** A `fetch` for libraries. Event streams are unbounded; any other body fails with an error when it is too long. */
export function createGuardedFetch(send: Send, maxRedirects: number): typeof globalThis.fetch {
  return async (input, init) => {
    const url = parseTarget(input instanceof Request ? input.url : input);
    const outgoing = new Request(input, init);
    const hop: Hop = {
      url,
      method: outgoing.method,
      headers: prepareHeaders(Object.fromEntries(outgoing.headers)),
      body: outgoing.body ? new Uint8Array(await outgoing.arrayBuffer()) : undefined,
    };
    const head = await send(hop, {
      signal: outgoing.signal,
      maxRedirects: { follow: maxRedirects, error: 0, manual: 'hand back' as const }[outgoing.redirect],
      isSecret: (header) => !harmless.has(header),
    });
    return toResponse(head);
  };
}

function toResponse({ status, headers, url, body }: Head): Response {
  const isEndless = headers['content-type']?.startsWith('text/event-stream') ?? false;
  const hasBody = !bodyless.has(status);
  if (!hasBody) body.resume();
  const bounded = isEndless ? body : limit(body);
  const response = new Response(hasBody ? (Readable.toWeb(bounded) as ReadableStream) : null, {
    status,
    headers,
  });
  Object.defineProperty(response, 'url', { value: url.href });
  return response;
}

function limit(body: Readable): Readable {
  let size = 0;
  const limiter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > maxBytes) done(new EgressFailed('The response is too long.'));
      else done(null, chunk);
    },
  });
  // Errors propagate to the reader of the response.
  return pipeline(body, limiter, () => undefined);
}
