import { readdir, stat, unlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

const day = 24 * 60 * 60 * 1000;
const defaultLimits = {
  resultAgeMs: day,
  maxResults: 10_000,
  maxResultBytes: 256 * 1024 * 1024,
  /** How long an operation is known to have been carried out, after its result is gone. */
  expiredAgeMs: 30 * day,
  maxExpired: 100_000,
};

export type JournalLimits = typeof defaultLimits;

interface Record {
  path: string;
  bytes: number;
  writtenAt: number;
}

/** Replaces old results with the mere fact that they existed, and removes that too when it is very old. */
export async function sweepJournal(
  folders: { finished: string; expired: string },
  changed: Partial<JournalLimits> = {},
): Promise<void> {
  const limits = { ...defaultLimits, ...changed };
  const now = Date.now();
  let bytes = 0;
  for (const [index, record] of (await listNewestFirst(folders.finished)).entries()) {
    bytes += record.bytes;
    const isKept =
      index < limits.maxResults &&
      bytes <= limits.maxResultBytes &&
      now - record.writtenAt < limits.resultAgeMs;
    if (!isKept) await expire(record.path, folders.expired);
  }
  for (const [index, { path, writtenAt }] of (await listNewestFirst(folders.expired)).entries()) {
    if (index >= limits.maxExpired || now - writtenAt >= limits.expiredAgeMs) await unlink(path);
  }
}

async function expire(path: string, expiredFolder: string): Promise<void> {
  // What a crash left of a result that was never stored.
  if (path.endsWith('.json')) await writeFile(join(expiredFolder, basename(path, '.json')), '');
  await unlink(path);
}

async function listNewestFirst(folder: string): Promise<Record[]> {
  const records: Record[] = [];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(ignoreMissing);
    if (found) records.push({ path, bytes: found.size, writtenAt: found.mtimeMs });
  }
  return records.toSorted((one, other) => other.writtenAt - one.writtenAt);
}

/** For files that may be renamed or removed at any moment. */
export function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
