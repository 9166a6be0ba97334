import { ReadableStream } from 'node:stream/web';
import { EgressFailed } from '../../../egress/egress-error.ts';

type Fetch = typeof globalThis.fetch;

const mostBytes = 16 * 1024 * 1024;
/** The protocol's own code for a connection that is gone. */
const connectionClosed = -32_000;

/**
 * A stream of events that ends without the answer leaves the SDK waiting for its time limit. So to the end of each stream
 * that cannot be resumed (its events have no ids) an answer is added: the connection is closed. Where the real one
 * came, nobody waits for a second. A stream is also cut where it becomes too long to be held in memory.
 */
export function createClosingFetch(send: Fetch): Fetch {
  return async (input, init) => {
    const response = await send(input, init);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (!isStream || !response.body) return response;
    const requestId = requestIdOf(init?.body);
    const body = ReadableStream.from(closing(response.body, requestId));
    return new Response(body as BodyInit, { status: response.status, headers: response.headers });
  };
}

async function* closing(body: AsyncIterable<Uint8Array>, requestId: unknown): AsyncGenerator<Uint8Array> {
  let size = 0;
  let tail = '';
  let resumable = false;
  const decoder = new TextDecoder();
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > mostBytes) break;
      const text = tail + decoder.decode(chunk, { stream: true });
      resumable ||= /(^|[\r\n])id:/.test(text);
      tail = text.slice(-4);
      yield chunk;
    }
  } catch (error) {
    if (resumable || requestId === undefined) throw error;
  }
  if (size > mostBytes && resumable) throw new EgressFailed('The answer is too long.');
  if (resumable || requestId === undefined) return;
  const message = size > mostBytes ? 'too long' : 'closed';
  const answer = { jsonrpc: '2.0', id: requestId, error: { code: connectionClosed, message } };
  yield new TextEncoder().encode(`\n\nevent: message\ndata: ${JSON.stringify(answer)}\n\n`);
}

function requestIdOf(body: unknown): unknown {
  if (typeof body !== 'string') return undefined;
  const message: unknown = JSON.parse(body);
  return typeof message === 'object' && message !== null && 'id' in message ? message.id : undefined;
}
