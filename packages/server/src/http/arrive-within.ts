import { PassThrough, type Readable } from 'node:stream';
import { AppError } from '../lib/app-error.ts';

/**
 * A body that fails with REQUEST_TIMEOUT if it takes longer than this to arrive. Its source stays open, so that the client
 * gets an answer.
 */
export function arriveWithin(source: Readable, milliseconds: number): Readable {
  const arriving = new PassThrough();
  const timer = setTimeout(() => {
    source.unpipe(arriving);
    arriving.destroy(new AppError('REQUEST_TIMEOUT'));
  }, milliseconds).unref();
  for (const stream of [arriving, source]) stream.once('close', () => clearTimeout(timer));
  source.once('end', () => clearTimeout(timer));
  source.on('error', (error) => arriving.destroy(error));
  // Nothing reads a body that is refused by its length, and an unhandled error would end the process.
  arriving.on('error', () => undefined);
  return source.pipe(arriving);
}
