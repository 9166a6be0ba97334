import { type FileHandle, lchown, open, rename, stat } from 'node:fs/promises';
import type { Owner } from './data-directory.ts';
import { ifPresent } from './if-present.ts';

// The server writes a few lines for each start and stop: one file and its predecessor hold years.
const rotateAtBytes = 1_000_000;
const tailBytes = 4000;

/** Opens the log for a server to write to, with the former one kept beside it when it has grown large. */
export async function openServerLog(path: string, owner: Owner | undefined): Promise<FileHandle> {
  const size = (await ifPresent(stat(path)))?.size ?? 0;
  // Another process that starts in the same moment may have moved it already.
  if (size > rotateAtBytes) await ifPresent(rename(path, `${path}.1`));
  const log = await open(path, 'a', 0o600);
  if (owner !== undefined) await lchown(path, owner.uid, owner.gid);
  return log;
}

/** What was written from `offset` on: its end, when that is much. */
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
