import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { Agent, fetch as undiciFetch } from 'undici';

/**
 * The way to addresses that come from the configuration only: no guard, but also no redirects, because a key would
 * travel along. Whatever a user, a model or a document can influence takes the guarded lane.
 */
export interface TrustedLane {
  /** Posts and resolves with the head of the answer, whatever its status. Aborting destroys the connection. */
  post(url: URL, request: LaneRequest): Promise<LaneResponse>;
  /** The same for libraries that bring their own request: keeps connections, follows no redirect. */
  fetch: typeof globalThis.fetch;
  /** Ends idle and running connections. */
  close(): Promise<void>;
}

export interface LaneRequest {
  headers: Readonly<Record<string, string>>;
  body: string;
  signal: AbortSignal;
}

export interface LaneResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** What arrived since the last look, in one piece. Throws when the connection breaks or is aborted. */
  body: AsyncIterable<Buffer>;
  /** The rest does not matter: lets the connection go back to the pool, or closes it if the rest does not end soon. */
  release(): void;
}

const connectTimeoutMs = 10_000;
const idleConnectionMs = 30_000;
const releaseWithinMs = 1_000;
const pauseAboveBytes = 1024 * 1024;

export function createTrustedLane(): TrustedLane {
  const plain = new http.Agent({ keepAlive: true, scheduling: 'lifo' });
  const secure = new https.Agent({ keepAlive: true, scheduling: 'lifo' });
  // Time limits are the caller's: a model may think for minutes before its first byte.
  const dispatcher = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleConnectionMs,
    connect: { timeout: connectTimeoutMs },
  });

  function send(url: URL, request: LaneRequest): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', headers: request.headers };
      const outgoing =
        url.protocol === 'https:'
          ? https.request(url, { ...options, agent: secure })
          : http.request(url, { ...options, agent: plain });
      const abort = () => outgoing.destroy(new Error('aborted by the caller'));
      outgoing.once('close', () => request.signal.removeEventListener('abort', abort));
      outgoing.once('response', resolve);
      outgoing.on('error', (error) => {
        // A kept connection that the server closed meanwhile: it never saw this request.
        if (outgoing.reusedSocket && isReset(error) && !request.signal.aborted) resolve(send(url, request));
        else reject(error);
      });
      request.signal.addEventListener('abort', abort, { once: true });
      if (request.signal.aborted) abort();
      else outgoing.end(request.body);
    });
  }

  return {
    async post(url, request) {
      const incoming = await send(url, request);
      return {
        status: incoming.statusCode ?? 0,
        headers: incoming.headers,
        body: readChunks(incoming),
        release: () => release(incoming),
      };
    },
    fetch: asGlobalFetch((input, init) => undiciFetch(input, { ...init, redirect: 'manual', dispatcher })),
    async close() {
      plain.destroy();
      secure.destroy();
      await dispatcher.destroy();
    },
  };
}

/** The two `fetch` differ in their types (one has the browser's), not in what they do. */
function asGlobalFetch(fetch: typeof undiciFetch): typeof globalThis.fetch {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return fetch as unknown as typeof globalThis.fetch;
}

function isReset(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ECONNRESET' || error.code === 'EPIPE';
}

/**
 * Cheaper than the stream's own iterator, and chunks that wait for the reader become one. It listens from the start: a
 * connection that breaks before anybody reads must not bring the process down.
 */
function readChunks(incoming: IncomingMessage): AsyncGenerator<Buffer, void, undefined> {
  const arrived: Buffer[] = [];
  let arrivedBytes = 0;
  let failure: Error | undefined;
  let ended = false;
  let wake: (() => void) | undefined;

  incoming.on('data', (chunk: Buffer) => {
    arrived.push(chunk);
    arrivedBytes += chunk.length;
    if (arrivedBytes > pauseAboveBytes) incoming.pause();
    wake?.();
  });
  incoming.on('error', (error) => {
    failure = error;
    wake?.();
  });
  incoming.on('end', () => {
    ended = true;
    wake?.();
  });
  incoming.on('close', () => {
    if (!ended) failure ??= new Error('the connection was cut');
    wake?.();
  });

  async function* read(): AsyncGenerator<Buffer, void, undefined> {
    while (true) {
      if (arrived.length > 0) {
        const [first] = arrived;
        const chunk = first && arrived.length === 1 ? first : Buffer.concat(arrived);
        arrived.length = 0;
        arrivedBytes = 0;
        if (incoming.isPaused()) incoming.resume();
        yield chunk;
      } else if (failure) {
        throw failure;
      } else if (ended) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        wake = undefined;
      }
    }
  }

  return read();
}

function release(incoming: IncomingMessage): void {
  if (incoming.readableEnded || incoming.destroyed) return;
  const timer = setTimeout(() => incoming.destroy(), releaseWithinMs).unref();
  incoming.once('close', () => clearTimeout(timer));
  incoming.removeAllListeners('data').resume();
}
