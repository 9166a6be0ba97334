import type { Socket } from 'node:net';
import { pipeline, Readable, Transform } from 'node:stream';
import { Agent } from 'undici';
import { createAllowList } from './allow-list.ts';
import { checkName, destinationOf, parseTarget } from './destination.ts';
import {
  EgressFailed,
  EgressRefused,
  type RefusalReason,
  refusalReasonOf,
  toEgressError,
} from './egress-error.ts';
import { createGuardedConnector, openGuardedSocket } from './guarded-connector.ts';
import type { Hop } from './redirect.ts';
import { prepareHeaders } from './request-headers.ts';
import { createNameResolver, type ResolveName } from './resolve-name.ts';
import { type Head, type SendOptions, send } from './send-outbound.ts';

/**
 * The only way out for anything that a user, a model or a document can influence. It reaches only public addresses and what
 * the operator allowed; every hop of a redirect is checked again.
 */
export type GuardedLane = ReturnType<typeof createGuardedLane>;

export interface GuardedRequest {
  url: string | URL;
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array | undefined;
  signal?: AbortSignal;
  /** For the whole request: lookup, connection, redirects and the last byte. */
  timeoutMs?: number;
  /** After decoding. A longer body is cut, and `truncated` is set. */
  maxResponseBytes?: number;
  /** One more redirect throws EgressRefused. */
  maxRedirects?: number;
  /** Headers besides authorization and cookie that stay with the origin of `url`. */
  secretHeaders?: readonly string[];
  /** The body stays with the origin of `url`: a redirect that would take it elsewhere throws EgressRefused. */
  isBodySecret?: boolean;
  /** Narrows where the request and its redirects may go; it cannot widen it. */
  mayVisit?: (url: URL) => boolean;
}

export interface GuardedResponse {
  status: number;
  headers: Record<string, string>;
  /** After redirects. */
  url: string;
  body: Buffer;
  truncated: boolean;
}

export interface GuardedLaneOptions {
  /** Host, `*.host`, address or range, each with an optional `:port`: reachable although not public. */
  allow: readonly string[];
  /** Used instead of the system's name servers: `ip` or `ip:port`. */
  nameServers?: readonly string[];
  /** Replaces name lookup: all addresses of a host. */
  resolve?: (host: string) => Promise<string[]>;
  /** Called for every request that is refused. */
  onRefused?: (reason: RefusalReason) => void;
}

const defaults = { timeoutMs: 30_000, maxResponseBytes: 5 * 1024 * 1024, maxRedirects: 5 };
const alwaysSecret = ['authorization', 'cookie'];

export function createGuardedLane(options: GuardedLaneOptions) {
  const allow = createAllowList(options.allow);
  const closing = new AbortController();
  const { resolve: resolveByCaller, nameServers = [] } = options;
  const resolve: ResolveName = resolveByCaller
    ? ({ host }) => resolveByCaller(host)
    : createNameResolver({ allow, servers: nameServers });
  const guard = { allow, resolve, closing: closing.signal };
  const agent = new Agent({ connect: createGuardedConnector(guard) });
  const sendGuarded = (hop: Hop, how: SendOptions) => send(hop, agent, how);
  const fetchGuarded = createGuardedFetch(sendGuarded, defaults.maxRedirects);

  /** Reports what was refused, and throws it. */
  function report(error: unknown): never {
    const reason = refusalReasonOf(error);
    if (reason) options.onRefused?.(reason);
    throw error;
  }

  async function requestGuarded(wanted: GuardedRequest, deadline: AbortSignal): Promise<GuardedResponse> {
    const { maxResponseBytes, maxRedirects } = { ...defaults, ...wanted };
    const secret = new Set(
      [...alwaysSecret, ...(wanted.secretHeaders ?? [])].map((name) => name.toLowerCase()),
    );
    const hop: Hop = {
      url: parseTarget(wanted.url),
      method: (wanted.method ?? 'GET').toUpperCase(),
      headers: prepareHeaders(wanted.headers ?? {}),
      body: wanted.body,
      isBodySecret: wanted.isBodySecret ?? false,
    };
    const head = await sendGuarded(hop, {
      signal: wanted.signal ? AbortSignal.any([wanted.signal, deadline]) : deadline,
      maxRedirects,
      isSecret: (header) => secret.has(header),
      mayVisit: wanted.mayVisit,
    });
    const { bytes, truncated } = await readAtMost(head, maxResponseBytes);
    return { status: head.status, headers: head.headers, url: head.url.href, body: bytes, truncated };
  }

  return {
    /**
     * Resolves with the whole response, whatever its status, within the limits of time and size. Throws EgressRefused or
     * EgressFailed, whose messages are safe to show, or the reason of the signal.
     */
    async request(wanted: GuardedRequest): Promise<GuardedResponse> {
      const timeoutMs = wanted.timeoutMs ?? defaults.timeoutMs;
      const deadline = AbortSignal.timeout(timeoutMs);
      try {
        return await requestGuarded(wanted, deadline).catch(report);
      } catch (error) {
        wanted.signal?.throwIfAborted();
        if (!deadline.aborted) throw error;
        throw new EgressFailed(
          `${parseTarget(wanted.url).hostname} did not answer in full within ${timeoutMs / 1000} seconds.`,
        );
      }
    },
    /** The same guard for libraries that need a `fetch`; the caller's signal is the only time limit. */
    fetch: (...given: Parameters<typeof globalThis.fetch>) => fetchGuarded(...given).catch(report),
    /** A guarded TCP connection for what does not speak HTTP (mail). The caller encrypts and closes it. */
    openSocket: (target: { host: string; port: number; signal: AbortSignal }): Promise<Socket> =>
      openGuardedSocket(target, guard).catch(report),
    /**
     * Why this URL can never be requested, judged by the URL alone; undefined otherwise. No name is looked up: callers must not
     * learn whether a name leads inside, and saving a URL must not depend on a name server.
     */
    refusalOf(url: string): string | undefined {
      try {
        checkName(destinationOf(parseTarget(url)), allow);
        return undefined;
      } catch (error) {
        if (error instanceof EgressRefused) return error.message;
        throw error;
      }
    },
    /** Ends idle and running connections. */
    async close(): Promise<void> {
      closing.abort();
      await agent.destroy();
    },
  };
}

async function readAtMost(head: Head, most: number): Promise<{ bytes: Buffer; truncated: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Leaving the loop early destroys the body, and with it the connection.
    for await (const chunk of head.body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > most) break;
    }
  } catch (error) {
    throw toEgressError(error, head.url.hostname);
  }
  return { bytes: Buffer.concat(chunks).subarray(0, most), truncated: size > most };
}

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
function createGuardedFetch(sendHop: Send, maxRedirects: number): typeof globalThis.fetch {
  return async (input, init) => {
    const url = parseTarget(input instanceof Request ? input.url : input);
    const outgoing = new Request(input, init);
    const hop: Hop = {
      url,
      method: outgoing.method,
      headers: prepareHeaders(Object.fromEntries(outgoing.headers)),
      body: outgoing.body ? new Uint8Array(await outgoing.arrayBuffer()) : undefined,
    };
    const head = await sendHop(hop, {
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
