import { lchown, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../lib/error-code.ts';

export interface DataDirectory {
  /** Absolute and free of symbolic links, so that every process uses the same names for the server's files. */
  root: string;
  cluster: string;
  log: string;
}

export interface Owner {
  uid: number;
  gid: number;
}

/** What every step of running the embedded PostgreSQL works with. */
export interface EmbeddedContext {
  directory: DataDirectory;
  /** The driver has no Unix sockets on Windows: there the server listens on the loopback, with a password. */
  transport: 'socket' | 'loopback';
  settings: Readonly<Record<string, string>>;
  report(text: string): void;
}

export async function openDataDirectory(path: string): Promise<DataDirectory> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const root = await realpath(path);
  const directory = { root, cluster: join(root, 'postgres'), log: join(root, 'postgres.log') };
  await refuseForeignCluster(directory);
  return directory;
}

export async function findOwner(path: string): Promise<Owner | undefined> {
  const found = await ifPresent(stat(path));
  return found === undefined ? undefined : { uid: found.uid, gid: found.gid };
}

/** Gives a directory and everything in it to the server's user; does nothing when that user owns it already. */
export async function giveToOwner(path: string, owner: Owner | undefined): Promise<void> {
  if (owner === undefined || (await stat(path)).uid === owner.uid) return;
  for (const entry of await readdir(path, { recursive: true })) {
    await lchown(join(path, entry), owner.uid, owner.gid);
  }
  // Last, so that the next start notices and repairs a crash in the middle.
  await lchown(path, owner.uid, owner.gid);
}

/** The result of reading a file, or undefined when there is no such file. */
export async function ifPresent<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

// PostgreSQL refuses it too, but only in its log, and a running server's files could not even be read.
async function refuseForeignCluster(directory: DataDirectory): Promise<void> {
  const uid = process.getuid?.();
  if (uid === undefined || uid === 0) return;
  const owner = await findOwner(directory.cluster);
  if (owner === undefined || owner.uid === uid) return;
  throw new Error(
    `The database in ${directory.cluster} belongs to another user (uid ${owner.uid}): start as that user, or give this one its own SVC_DATA_DIR.`,
  );
}
