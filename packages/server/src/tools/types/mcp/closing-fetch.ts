import { ReadableStream } from 'node:stream/web';
import { EgressFailed } from '../../../egress/egress-error.ts';
import { createValueCounter } from './value-counter.ts';

type Fetch = typeof globalThis.fetch;

const megabyte = 1024 * 1024;
/**
 * A message is parsed in one go, which takes far longer for many small values than for a few large ones, and longer still
 * where the SDK checks it instead of us.
 */
const limitsOf = {
  'tools/call': { bytes: 16 * megabyte, values: 250_000 },
  'tools/list': { bytes: 8 * megabyte, values: 250_000 },
  other: { bytes: 2 * megabyte, values: 50_000 },
  /** A stream that lasts as long as the session. */
  none: { bytes: 16 * megabyte, values: 50_000 },
};
/** The protocol's code for a closed connection. */
const connectionClosed = -32_000;

/**
 * An event stream that ends without a response leaves the SDK waiting for its time limit. So a "connection closed" response is
 * appended to each stream that cannot be resumed (its events have no ids); it is ignored if the real response came. A response
 * is also cut off when it becomes too large to hold in memory or to parse in one go.
 */
export function createClosingFetch(send: Fetch): Fetch {
  return async (input, init) => {
    const response = await send(input, init);
    if (!response.body) return response;
    const request = requestOf(init?.body);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    const isTooMuch = createMeasure(limitsOf[kindOf(request)], isStream);
    const body = isStream
      ? closing(response.body, request?.id, isTooMuch)
      : bounded(response.body, isTooMuch);
    return new Response(ReadableStream.from(body) as BodyInit, {
      status: response.status,
      headers: response.headers,
    });
  };
}

type IsTooMuch = (chunk: Uint8Array, text: string) => boolean;

function createMeasure(most: { bytes: number; values: number }, isStream: boolean): IsTooMuch {
  const countValues = createValueCounter(isStream);
  let size = 0;
  return (chunk, text) => {
    size += chunk.length;
    return size > most.bytes || countValues(text) > most.values;
  };
}

async function* bounded(body: AsyncIterable<Uint8Array>, isTooMuch: IsTooMuch): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    if (isTooMuch(chunk, decoder.decode(chunk, { stream: true }))) throw tooLong();
    yield chunk;
  }
}

async function* closing(
  body: AsyncIterable<Uint8Array>,
  requestId: unknown,
  isTooMuch: IsTooMuch,
): AsyncGenerator<Uint8Array> {
  let isCut = false;
  let tail = '';
  let resumable = false;
  const decoder = new TextDecoder();
  try {
    for await (const chunk of body) {
      const piece = decoder.decode(chunk, { stream: true });
      isCut = isTooMuch(chunk, piece);
      if (isCut) break;
      const text = tail + piece;
      resumable ||= /(^|[\r\n])id:/.test(text);
      tail = text.slice(-4);
      yield chunk;
    }
  } catch (error) {
    if (resumable || requestId === undefined) throw error;
  }
  if (isCut && resumable) throw tooLong();
  if (resumable || requestId === undefined) return;
  const message = isCut ? 'too long' : 'closed';
  const answer = { jsonrpc: '2.0', id: requestId, error: { code: connectionClosed, message } };
  yield new TextEncoder().encode(`\n\nevent: message\ndata: ${JSON.stringify(answer)}\n\n`);
}

const tooLong = () => new EgressFailed('The answer of the MCP server is too long.');

function requestOf(body: unknown): { id?: unknown; method?: unknown } | undefined {
  if (typeof body !== 'string') return undefined;
  const message: unknown = JSON.parse(body);
  return typeof message === 'object' && message !== null ? message : undefined;
}

function kindOf(request: { method?: unknown } | undefined): keyof typeof limitsOf {
  if (!request) return 'none';
  const { method } = request;
  return method === 'tools/call' || method === 'tools/list' ? method : 'other';
}
