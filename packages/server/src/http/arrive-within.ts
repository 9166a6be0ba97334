import { PassThrough, type Readable } from 'node:stream';
import { AppError } from '../app-error.ts';

/**
 * A body as it arrives, which fails with REQUEST_TIMEOUT if it takes longer than that. Its source stays open, so that its
 * sender can be told.
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
  // A body that was refused by its length alone is read by nobody: its error would end the process.
  arriving.on('error', () => undefined);
  return source.pipe(arriving);
}
