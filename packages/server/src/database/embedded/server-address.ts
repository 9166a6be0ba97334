import { stat } from 'node:fs/promises';
import type { EmbeddedContext } from './context.ts';
import { ifPresent } from './if-present.ts';
import { readServerPassword, serverUser } from './initialise-cluster.ts';
import { isPostmaster } from './is-postmaster.ts';
import { readPostmasterFile } from './postmaster-file.ts';
import { socketDirectoryFor, socketPath } from './socket-directory.ts';

export interface ServerAddress {
  host: string;
  port: number;
  user: string;
  password?: string;
  /** Said outright, or PGSSLMODE of the environment would decide. */
  ssl: false;
}

/** Where the server that holds the cluster listens; undefined when none does. */
export async function findServerAddress(context: EmbeddedContext): Promise<ServerAddress | undefined> {
  const { cluster } = context.directory;
  const file = await readPostmasterFile(cluster);
  if (file === undefined) return undefined;
  const { port } = file;
  if (context.transport === 'socket') {
    // The written path fails to lead there when the data directory was moved or is mounted elsewhere.
    const written =
      file.socketDirectory !== '' && (await ifPresent(stat(socketPath(file.socketDirectory, port))));
    const host = written ? file.socketDirectory : socketDirectoryFor(context.directory);
    return { host, port, user: serverUser, ssl: false };
  }
  // A port may have passed to another program: that one must not be shown the password.
  if (!(await isPostmaster(file.processId, cluster))) return undefined;
  const password = await readServerPassword(cluster);
  return {
    host: '127.0.0.1',
    port,
    user: serverUser,
    ssl: false,
    ...(password === undefined ? {} : { password }),
  };
}
