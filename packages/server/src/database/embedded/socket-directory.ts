import { createHash } from 'node:crypto';
import { chmod, lchown, lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataDirectory, Owner } from './data-directory.ts';
import { errorCode } from './error-code.ts';

// The directory is ours alone, so the number is only a part of the socket's name and never clashes.
export const socketPort = 5432;

/** Inside the data directory, or in a private temporary directory where the system's limit for socket paths asks for it. */
export function socketDirectoryFor(directory: DataDirectory, temporary: string = tmpdir()): string {
  const uid = process.getuid?.() ?? 0;
  const name = `svc-${uid}-${createHash('sha256').update(directory.root).digest('hex').slice(0, 16)}`;
  const candidates = [join(directory.root, 'socket'), join(temporary, name), join('/tmp', name)];
  const fitting = candidates.find(
    (candidate) => Buffer.byteLength(socketPath(candidate, socketPort)) <= limit(),
  );
  if (fitting === undefined) throw new Error(`No path is short enough for the socket of ${directory.root}.`);
  return fitting;
}

export function socketPath(directory: string, port: number): string {
  return join(directory, `.s.PGSQL.${port}`);
}

/** Whoever gets into this directory is let in by PostgreSQL without a password. */
export async function prepareSocketDirectory(path: string, owner: Owner | undefined): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  const found = await lstat(path);
  const trusted = [process.getuid?.(), owner?.uid];
  if (!found.isDirectory() || !trusted.includes(found.uid)) {
    throw new Error(`${path} was made by somebody else (uid ${found.uid}). Remove it and start again.`);
  }
  if ((found.mode & 0o777) !== 0o700) await chmod(path, 0o700);
  if (owner !== undefined && found.uid !== owner.uid) await lchown(path, owner.uid, owner.gid);
}

function limit(): number {
  return process.platform === 'linux' ? 107 : 103;
}
