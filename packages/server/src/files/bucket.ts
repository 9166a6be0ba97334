import { Readable } from 'node:stream';
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import type { FilesConfig } from '../config/files-config.ts';
import type { ByteRange } from '../lib/byte-range.ts';
import { BucketError, toBucketError } from './bucket-error.ts';

/** What is written: bytes, or so many bytes piece by piece, which cannot be sent twice. */
export type FileContent = Buffer | { chunks: AsyncIterable<Buffer>; length: number };

/** How long a bucket may take to accept a connection. */
const connectMs = 5_000;
/** How long it may take to begin its answer, retries included. */
const answerMs = 30_000;
/** How long nothing may arrive, or be taken, in the middle of an object. */
const idleMs = 30_000;
/** A reader that reads nothing is disconnected after half of this. */
const socketIdleMs = 60_000;
/** Enough for the largest file that may be uploaded, at a megabit per second. */
const writeMs = 60_000;
/** Enough for a call of hours. */
const writeLongMs = 20 * 60_000;

const ignore = () => undefined;

export type Bucket = Awaited<ReturnType<typeof openBucket>>;

/** Objects at S3 or a server that speaks its protocol. Every request ends in time; each failure is a BucketError. */
export async function openBucket({ bucket, prefix, endpoint, region, credentials }: FilesConfig) {
  // Loading it takes an eighth of a second and 35 MB, which services without a bucket need not spend.
  const { S3Client, PutObjectCommand, GetObjectCommand, DeleteObjectCommand } = await import(
    '@aws-sdk/client-s3'
  );
  const client = new S3Client({
    ...(region !== undefined && { region }),
    ...(credentials && { credentials }),
    // Not every server has a name for each bucket.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    // Other servers do not know the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    // It would write to the console what we report as an error.
    logger: { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore },
    requestHandler: { connectionTimeout: connectMs, socketTimeout: socketIdleMs },
  });
  const place = (key: string) => ({ Bucket: bucket, Key: prefix + key });

  return {
    async write(key: string, content: FileContent, signal?: AbortSignal): Promise<void> {
      const isBuffer = Buffer.isBuffer(content);
      const failing = new AbortController();
      const limit = AbortSignal.timeout(isBuffer ? writeMs : writeLongMs);
      const abortSignal = AbortSignal.any([failing.signal, limit, ...(signal ? [signal] : [])]);
      const body = isBuffer ? content : Readable.from(content.chunks, { objectMode: false });
      // The client would wait for the end of a stream that has failed.
      if (!isBuffer) (body as Readable).once('error', (error) => failing.abort(error));
      const input = { ...place(key), Body: body, ContentLength: content.length };
      try {
        await client.send(new PutObjectCommand(input), { abortSignal });
      } catch (error) {
        signal?.throwIfAborted();
        failing.signal.throwIfAborted();
        throw toBucketError(error);
      } finally {
        if (!isBuffer) (body as Readable).destroy();
      }
    },

    /** An object or a part of it, as it arrives; it must be read, or ends by itself. */
    async read(key: string, range?: ByteRange): Promise<AsyncGenerator<Buffer>> {
      const input = { ...place(key), ...(range && { Range: `bytes=${range.start}-${range.end - 1}` }) };
      let answer: GetObjectCommandOutput;
      try {
        answer = await client.send(new GetObjectCommand(input), {
          abortSignal: AbortSignal.timeout(answerMs),
        });
      } catch (error) {
        throw toBucketError(error);
      }
      const body = answer.Body as Readable;
      if (range && answer.ContentLength !== range.end - range.start) {
        body.destroy();
        throw new BucketError('unreached', 'It answered with another part of an object than was asked for.');
      }
      return readInTime(body);
    },

    async delete(key: string): Promise<void> {
      try {
        await client.send(new DeleteObjectCommand(place(key)), {
          abortSignal: AbortSignal.timeout(answerMs),
        });
      } catch (error) {
        const failure = toBucketError(error);
        // S3 itself does not mind.
        if (failure.kind !== 'missing') throw failure;
      }
    },

    close: () => client.destroy(),
  };
}

/** The pieces of a body, which is destroyed if the next one takes too long, or if nobody begins to read it. */
function readInTime(body: Readable): AsyncGenerator<Buffer> {
  const giveUp = () => body.destroy(new Error('Nothing arrived in time.'));
  let timer = setTimeout(giveUp, idleMs);
  // Until it is read, nothing else would take the error.
  body.on('error', () => undefined);

  async function* read(): AsyncGenerator<Buffer> {
    const pieces = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    try {
      for (;;) {
        clearTimeout(timer);
        timer = setTimeout(giveUp, idleMs);
        const next = await pieces.next();
        clearTimeout(timer);
        if (next.done) return;
        yield next.value;
      }
    } catch (error) {
      throw toBucketError(error);
    } finally {
      clearTimeout(timer);
      body.destroy();
    }
  }
  return read();
}
