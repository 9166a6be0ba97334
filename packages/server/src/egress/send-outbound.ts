import { type Duplex, pipeline, Readable } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { type Dispatcher, request } from 'undici';
import { destinationOf } from './destination.ts';
import { EgressFailed, EgressRefused, toEgressError } from './egress-error.ts';
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
  if (!methods.has(first.method)) throw new EgressRefused('method', 'That HTTP method is not supported.');
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
        'redirect',
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
  if (mayVisit && !mayVisit(url)) throw new EgressRefused('host', `${host} is not one of the allowed hosts.`);
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

const maxEncodings = 2;
// A truncated body still yields what has arrived, and a stream of events is not buffered.
const zlibOptions = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const brotliOptions = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};

/** Decodes chunk by chunk and only as fast as it is read, so that a decompression bomb is stopped by the reader's limit. */
function decodeBody(body: Readable, contentEncoding: string | undefined): Readable {
  const names = (contentEncoding ?? '').split(',').map((name) => name.trim().toLowerCase());
  // The encoding that was applied last is removed first.
  const encodings = names.filter((name) => name !== '' && name !== 'identity').toReversed();
  if (encodings.length > maxEncodings) throw unreadable(body, 'too many times');
  return encodings.reduce(decodeOnce, body);
}

function decodeOnce(source: Readable, encoding: string): Readable {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return through(source, createGunzip(zlibOptions));
    case 'br':
      return through(source, createBrotliDecompress(brotliOptions));
    case 'deflate':
      return Readable.from(inflate(source));
    default:
      throw unreadable(source, 'in a way that cannot be read');
  }
}

/** Servers use `deflate` for both zlib and raw deflate; the first byte tells which. */
async function* inflate(source: Readable): AsyncGenerator<Buffer, void, undefined> {
  const chunks: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return;
  const [firstByte = 0] = first.value;
  const decoder = (firstByte & 0x0f) === 8 ? createInflate(zlibOptions) : createInflateRaw(zlibOptions);
  async function* all() {
    yield first.value as Buffer;
    yield* { [Symbol.asyncIterator]: () => chunks };
  }
  yield* through(Readable.from(all()), decoder) as AsyncIterable<Buffer>;
}

function through(source: Readable, decoder: Duplex): Readable {
  // Errors propagate to the end of the chain, where the body is read.
  return pipeline(source, decoder, () => undefined);
}

/** Also closes the connection, because the body will not be read. */
function unreadable(body: Readable, how: string): EgressFailed {
  body.on('error', () => undefined).destroy();
  return new EgressFailed(`The response is encoded ${how}.`);
}
