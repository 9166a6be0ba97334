import type { ReadyServer } from './attempt-connection.ts';
import type { EmbeddedContext } from './context.ts';
import { openDataDirectory } from './data-directory.ts';
import { databaseName, ensureDatabase } from './ensure-database.ts';
import { joinServer } from './join-server.ts';
import { keepJoined } from './keep-joined.ts';
import { leaveServer } from './leave-server.ts';
import type { Role } from './role.ts';
import type { ServerAddress } from './server-address.ts';

export interface EmbeddedDatabaseOptions {
  /** The data directory; PostgreSQL lives in `<directory>/postgres`. */
  directory: string;
  role: Role;
  /** Progress in plain words, also later on, when a lost server is brought back. */
  onProgress?: (text: string) => void;
  /** Further settings for a server that is started: tests switch fsync off. */
  settings?: Record<string, string>;
}

export interface EmbeddedDatabase {
  /** What `pg` needs to connect; it stays the same when the server is brought back. */
  connection: ServerAddress & { database: string };
  /** Stops the server unless another process uses it, who stops it then. Repeated calls are harmless. */
  stop(): Promise<void>;
}

/**
 * Opens the database of a data directory: uses the server that runs there, also one that a killed service left
 * behind, and otherwise starts it. Throws DataDirectoryInUseError for the second service of a directory.
 */
export async function openEmbeddedDatabase(options: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
  return openInContext(options.role, {
    directory: await openDataDirectory(options.directory),
    transport: process.platform === 'win32' ? 'loopback' : 'socket',
    settings: options.settings ?? {},
    report: options.onProgress ?? (() => undefined),
  });
}

/** The same for any transport, so that Windows' way is tested everywhere. */
export async function openInContext(role: Role, context: EmbeddedContext): Promise<EmbeddedDatabase> {
  const joined = await joinServer(context, { role });
  try {
    await ensureDatabase(joined.client);
  } catch (error) {
    await leaveServer(context, joined);
    throw error;
  }
  const place = role === 'service' ? keepJoined(context, joined) : holdUntilReleased(joined);
  const stop = async () => {
    const outcome = await leaveServer(context, await place.release());
    if (outcome === 'left running' && role === 'service') {
      context.report('PostgreSQL goes on for a command that still uses it and will stop it.');
    }
  };
  let stopped: Promise<void> | undefined;
  return {
    connection: { ...joined.address, database: databaseName },
    stop: () => (stopped ??= stop()),
  };
}

function holdUntilReleased(joined: ReadyServer) {
  return { release: () => Promise.resolve(joined) };
}
