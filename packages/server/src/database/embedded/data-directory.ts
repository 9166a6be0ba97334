import { mkdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifPresent } from './if-present.ts';

export interface DataDirectory {
  /** Absolute and free of symbolic links, so that every process names the server's files alike. */
  root: string;
  cluster: string;
  log: string;
}

export interface Owner {
  uid: number;
  gid: number;
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
