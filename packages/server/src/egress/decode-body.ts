import { type Duplex, pipeline, Readable } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { EgressFailed } from './egress-error.ts';

const maxEncodings = 2;
// A truncated body still yields what has arrived, and a stream of events is not buffered.
const zlibOptions = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const brotliOptions = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};

/** Decodes chunk by chunk and only as fast as it is read, so that a decompression bomb is stopped by the reader's limit. */
export function decodeBody(body: Readable, contentEncoding: string | undefined): Readable {
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
