import { type FileHandle, lchown, open, rename, stat } from 'node:fs/promises';
import { ifPresent, type Owner } from './data-directory.ts';

// The server writes a few lines for each start and stop: one file and its predecessor hold years.
const rotateAtBytes = 1_000_000;
const tailBytes = 4000;

/** Opens the log for a server to write to; a log that has grown large is kept beside it as `.1`. */
export async function openServerLog(path: string, owner: Owner | undefined): Promise<FileHandle> {
  const size = (await ifPresent(stat(path)))?.size ?? 0;
  // Another process that starts at the same time may have moved it already.
  if (size > rotateAtBytes) await ifPresent(rename(path, `${path}.1`));
  const log = await open(path, 'a', 0o600);
  if (owner !== undefined) await lchown(path, owner.uid, owner.gid);
  return log;
}

/** What was written after `offset`, or only the end of it when that is long. */
export async function readServerLog(path: string, offset: number): Promise<string> {
  const log = await ifPresent(open(path, 'r'));
  if (log === undefined) return '';
  try {
    const { size } = await log.stat();
    const start = Math.max(offset, size - tailBytes);
    const { buffer, bytesRead } = await log.read({ buffer: Buffer.alloc(tailBytes), position: start });
    return buffer.toString('utf8', 0, bytesRead).trim();
  } finally {
    await log.close();
  }
}
