import type { LookupAddress, LookupOptions } from 'node:dns';
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
import { Agent, fetch as undiciFetch } from 'undici';
import { shareWork } from './share-work.ts';
import { createSystemLookup } from './system-lookup.ts';
import { type LaneSocket, type LaneSocketOptions, openTrustedWebSocket } from './trusted-web-socket.ts';

/**
 * Requests to addresses from the configuration only: no guard, but no redirects either, because a key would be sent along.
 * Whatever a user, a model or a document can influence takes the guarded lane.
 */
export type TrustedLane = ReturnType<typeof createTrustedLane>;

export interface LaneRequest {
  headers: Readonly<Record<string, string>>;
  body: string;
  signal: AbortSignal;
}

export interface LaneResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /**
   * Passes each chunk on as it arrives, until the body ends or `onChunk` returns 'enough'. Rejects when the connection
   * breaks or is aborted, and with what `onChunk` throws. May be called once.
   */
  read(onChunk: (chunk: Buffer) => 'enough' | undefined): Promise<void>;
  /** Discards the rest: the connection returns to the pool, or is closed if the rest does not end soon. */
  release(): void;
}

const connectTimeoutMs = 10_000;
const idleConnectionMs = 30_000;
const releaseWithinMs = 1_000;
const warmUpWithinMs = 5_000;

export function createTrustedLane() {
  const lookup = createTrustedLookup();
  const plain = new http.Agent({ keepAlive: true, scheduling: 'lifo', lookup });
  const secure = new https.Agent({ keepAlive: true, scheduling: 'lifo', lookup });
  // Callers set their own time limits: a model may take minutes before its first byte.
  const dispatcher = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleConnectionMs,
    connect: { timeout: connectTimeoutMs, lookup },
  });

  const sockets = new Set<LaneSocket>();
  let isClosed = false;

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
        // The server closed a kept-alive connection in the meantime and never saw this request.
        if (outgoing.reusedSocket && isReset(error) && !request.signal.aborted) resolve(send(url, request));
        else reject(error);
      });
      request.signal.addEventListener('abort', abort, { once: true });
      if (request.signal.aborted) abort();
      else outgoing.end(request.body);
    });
  }

  return {
    /** Posts and resolves with the response's head, whatever its status. Aborting destroys the connection. */
    async post(url: URL, request: LaneRequest): Promise<LaneResponse> {
      const incoming = await send(url, request);
      return {
        status: incoming.statusCode ?? 0,
        headers: incoming.headers,
        read: readerOf(incoming),
        release: () => release(incoming),
      };
    },
    /** The same for libraries that need a `fetch`: keeps connections, follows no redirects. */
    fetch: asGlobalFetch((input, init) => undiciFetch(input, { ...init, redirect: 'manual', dispatcher })),
    /**
     * Makes sure that the next `post` to this origin finds an open connection, with a request that has no key. Never rejects: the
     * request that comes next reports what is wrong.
     */
    warmUp: (url: URL): Promise<void> =>
      new Promise((resolve) => {
        const [{ request }, agent] = url.protocol === 'https:' ? [https, secure] : [http, plain];
        const first = request(new URL('/', url), { agent, timeout: warmUpWithinMs });
        first.on('response', (response) => response.resume());
        first.on('timeout', () => first.destroy());
        first.on('error', () => resolve());
        first.on('close', () => resolve());
        first.end();
      }),
    /** Opens a WebSocket; an address that begins with `http` becomes one that begins with `ws`. */
    openWebSocket(url: URL, options: LaneSocketOptions): LaneSocket {
      const { events } = options;
      const onClose: typeof events.onClose = (end) => {
        sockets.delete(tracked);
        events.onClose(end);
      };
      const socket = openTrustedWebSocket(url, { ...options, events: { ...events, onClose } }, lookup);
      const tracked: LaneSocket = {
        ...socket,
        close(lastMessage) {
          sockets.delete(tracked);
          socket.close(lastMessage);
        },
      };
      sockets.add(tracked);
      if (isClosed) setImmediate(() => tracked.destroy());
      return tracked;
    },
    /** Ends idle and running connections. Those that are opened later end at once. */
    async close(): Promise<void> {
      isClosed = true;
      for (const socket of sockets) socket.destroy();
      plain.destroy();
      secure.destroy();
      await dispatcher.destroy();
    },
  };
}

/** The two `fetch` functions differ only in their types. */
function asGlobalFetch(fetch: typeof undiciFetch): typeof globalThis.fetch {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- their types do not overlap
  return fetch as unknown as typeof globalThis.fetch;
}

function isReset(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ECONNRESET' || error.code === 'EPIPE';
}

/**
 * Cheaper than the stream's own iterator, because chunks are passed on synchronously. It listens from the start: a connection
 * that breaks before its body is read must not crash the process.
 */
function readerOf(incoming: IncomingMessage): LaneResponse['read'] {
  let failure: Error | undefined;
  let ended = false;
  let settle: (() => void) | undefined;
  incoming.on('error', (error) => {
    failure = error;
    settle?.();
  });
  incoming.on('end', () => {
    ended = true;
    settle?.();
  });
  incoming.on('close', () => {
    if (!ended) failure ??= new Error('the connection was cut');
    settle?.();
  });

  return (onChunk) =>
    new Promise((resolve, reject) => {
      settle = () => (failure ? reject(failure) : resolve());
      const hand = (chunk: Buffer) => {
        try {
          if (onChunk(chunk) !== 'enough') return;
          incoming.off('data', hand);
          resolve();
        } catch (error) {
          incoming.off('data', hand);
          reject(error);
        }
      };
      incoming.on('data', hand);
      if (failure || ended) settle();
    });
}

function release(incoming: IncomingMessage): void {
  if (incoming.readableEnded || incoming.destroyed) return;
  const timer = setTimeout(() => incoming.destroy(), releaseWithinMs).unref();
  incoming.once('close', () => clearTimeout(timer));
  incoming.removeAllListeners('data').resume();
}

const atOnce = 2;
const withinMs = 10_000;

/**
 * For connections to configured hosts. Many connections go to few hosts, so concurrent connections to a host share one lookup,
 * and a host whose name server is down does not block the others.
 */
function createTrustedLookup(): LookupFunction {
  const find = shareWork(createSystemLookup(atOnce));

  async function findKind(host: string, kind: LookupOptions['family']): Promise<LookupAddress[]> {
    const found = await find(host, AbortSignal.timeout(withinMs));
    const entries = found.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
    return entries.filter(({ family }) => !kind || family === familyOf(kind));
  }

  async function answer(...[host, options, callback]: Parameters<LookupFunction>): Promise<void> {
    let failure: NodeJS.ErrnoException = failureOf('ENOTFOUND', host);
    const found = await findKind(host, options.family).catch((error: NodeJS.ErrnoException) => {
      failure = typeof error.code === 'string' ? error : failureOf('EAI_AGAIN', host);
      return [];
    });
    const [first] = found;
    if (!first) callback(failure, '');
    else if (options.all) callback(null, found);
    else callback(null, first.address, first.family);
  }

  return (host, options, callback) => void answer(host, options, callback);
}

function familyOf(family: number | 'IPv4' | 'IPv6'): number {
  return family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : family;
}

/** The error that the system's own lookup would give. */
function failureOf(code: string, host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`getaddrinfo ${code} ${host}`), { code, hostname: host });
}
