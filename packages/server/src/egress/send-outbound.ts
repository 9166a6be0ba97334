import type { Readable } from 'node:stream';
import { type Dispatcher, request } from 'undici';
import { decodeBody } from './decode-body.ts';
import { destinationOf } from './destination.ts';
import { EgressRefused, toEgressError } from './egress-error.ts';
import { orAbort } from './or-abort.ts';
import { type Hop, isRedirect, nextHop } from './redirect.ts';

export interface SendOptions {
  signal: AbortSignal;
  /** `hand back` follows none and resolves with the redirect itself. */
  maxRedirects: number | 'hand back';
  /** Whether a header stays with the origin it was given for. */
  isSecret: (header: string) => boolean;
  /** Narrows where this request and its redirects may go; it cannot widen it. */
  mayVisit?: ((url: URL) => boolean) | undefined;
}

export interface Head {
  status: number;
  headers: Record<string, string>;
  /** Where the response came from, after redirects. */
  url: URL;
  /** Decoded. Must be read to its end or destroyed. */
  body: Readable;
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const maxRedirectBytes = 16 * 1024;

/** Sends, follows redirects and resolves with the last response's head. Errors are safe to show, or the signal's reason. */
export async function send(first: Hop, dispatcher: Dispatcher, options: SendOptions): Promise<Head> {
  if (!methods.has(first.method)) throw new EgressRefused('That HTTP method is not supported.');
  let hop = first;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await sendOnce(hop, dispatcher, options);
    const headers = flatten(answer.headers);
    const location = headers['location'];
    if (!isRedirect(answer.statusCode) || location === undefined || options.maxRedirects === 'hand back') {
      return {
        status: answer.statusCode,
        headers: withoutEncoding(headers),
        url: hop.url,
        body: decodeBody(answer.body, headers['content-encoding']),
      };
    }
    await answer.body.dump({ limit: maxRedirectBytes, signal: options.signal });
    if (redirects >= options.maxRedirects) {
      throw new EgressRefused(
        `${first.url.hostname} redirects more often than the ${options.maxRedirects} times that are allowed.`,
      );
    }
    hop = nextHop(hop, answer.statusCode, location, options.isSecret);
  }
}

async function sendOnce(
  { url, method, headers, body }: Hop,
  dispatcher: Dispatcher,
  { signal, mayVisit }: SendOptions,
): Promise<Dispatcher.ResponseData> {
  const { host } = destinationOf(url);
  if (mayVisit && !mayVisit(url)) throw new EgressRefused(`${host} is not one of the allowed hosts.`);
  try {
    // undici ignores the signal until there is a connection.
    return await orAbort(request(url, { dispatcher, method, headers, body: body ?? null, signal }), signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw toEgressError(error, host);
  }
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
  );
}

/** The body is decoded by now, so its encoding and length headers no longer apply. */
function withoutEncoding(headers: Record<string, string>): Record<string, string> {
  const { 'content-encoding': encoding, 'content-length': _length, ...others } = headers;
  return encoding === undefined ? headers : others;
}
