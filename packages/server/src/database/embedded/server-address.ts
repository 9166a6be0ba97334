import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, lchown, lstat, mkdir, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../../lib/error-code.ts';
import { readServerPassword, serverUser } from './create-cluster.ts';
import { type DataDirectory, type EmbeddedContext, ifPresent, type Owner } from './data-directory.ts';
import { clearStaleLock, isPostmaster, readPostmasterFile } from './postmaster.ts';
import type { Listening } from './server-settings.ts';

// No other program uses the socket's directory, so this is only part of a file name and never clashes.
const socketPort = 5432;
const maxSocketPathBytes = process.platform === 'linux' ? 107 : 103;

export interface ServerAddress {
  host: string;
  port: number;
  user: string;
  password?: string;
  /** Explicit, or PGSSLMODE in the environment would decide. */
  ssl: false;
}

/** Where the server that holds the cluster listens; undefined when none does. */
export async function findServerAddress(context: EmbeddedContext): Promise<ServerAddress | undefined> {
  const { cluster } = context.directory;
  const file = await readPostmasterFile(cluster);
  if (file === undefined) return undefined;
  const { port } = file;
  if (context.transport === 'socket') {
    // The path in the file is wrong when the data directory was moved or is mounted elsewhere.
    const written =
      file.socketDirectory !== '' && (await ifPresent(stat(socketPath(file.socketDirectory, port))));
    const host = written ? file.socketDirectory : socketDirectoryFor(context.directory);
    return { host, port, user: serverUser, ssl: false };
  }
  // Another program may have taken the port since: it must not receive the password.
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

/** Where a new server will listen; on the loopback at `formerPort`, if given, because open pools know that port. */
export async function chooseListening(
  context: EmbeddedContext,
  owner: Owner | undefined,
  formerPort: number | undefined,
): Promise<Listening> {
  if (context.transport === 'loopback') return { loopbackPort: formerPort ?? (await findFreePort()) };
  const socketDirectory = socketDirectoryFor(context.directory);
  await prepareSocketDirectory(socketDirectory, owner);
  await clearStaleLock(`${socketPath(socketDirectory, socketPort)}.lock`, context.directory.cluster);
  return { socketDirectory, port: socketPort };
}

/** Inside the data directory, or in a private temporary directory when that path exceeds the system's limit for sockets. */
export function socketDirectoryFor(directory: DataDirectory, temporary: string = tmpdir()): string {
  const uid = process.getuid?.() ?? 0;
  const name = `svc-${uid}-${createHash('sha256').update(directory.root).digest('hex').slice(0, 16)}`;
  const candidates = [join(directory.root, 'socket'), join(temporary, name), join('/tmp', name)];
  const fitting = candidates.find(
    (candidate) => Buffer.byteLength(socketPath(candidate, socketPort)) <= maxSocketPathBytes,
  );
  if (fitting === undefined) throw new Error(`No path is short enough for the socket of ${directory.root}.`);
  return fitting;
}

function socketPath(directory: string, port: number): string {
  return join(directory, `.s.PGSQL.${port}`);
}

/** Creates it closed to other users: PostgreSQL asks for no password from anybody who can enter it. */
export async function prepareSocketDirectory(path: string, owner: Owner | undefined): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  const found = await lstat(path);
  const trusted = [process.getuid?.(), owner?.uid];
  if (!found.isDirectory() || !trusted.includes(found.uid)) {
    throw new Error(`${path} was created by another user (uid ${found.uid}). Remove it and start again.`);
  }
  if ((found.mode & 0o777) !== 0o700) await chmod(path, 0o700);
  if (owner !== undefined && found.uid !== owner.uid) await lchown(path, owner.uid, owner.gid);
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new TypeError('A TCP server has a port.');
  return address.port;
}
