import type { ClientBase } from 'pg';
import { errorCode } from '../../lib/error-code.ts';
import { type EmbeddedContext, openDataDirectory } from './data-directory.ts';
import type { Role } from './directory-locks.ts';
import { joinServer, keepJoined } from './join-server.ts';
import { leaveServer } from './leave-server.ts';

export const databaseName = 'svc';

export interface EmbeddedDatabaseOptions {
  /** The data directory; PostgreSQL lives in `<directory>/postgres`. */
  directory: string;
  role: Role;
  /** Receives progress messages, including later ones when a lost server is restarted. */
  onProgress?: (text: string) => void;
  /** Extra PostgreSQL settings for a server that is started here: tests switch fsync off. */
  settings?: Record<string, string>;
}

export type EmbeddedDatabase = Awaited<ReturnType<typeof openInContext>>;

/**
 * Opens the database of a data directory: uses the server that runs there, even one that a killed service left
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

/** The same for any transport, so that the one Windows uses is tested on every system. */
export async function openInContext(role: Role, context: EmbeddedContext) {
  const joined = await joinServer(context, { role });
  try {
    await ensureDatabase(joined.client);
  } catch (error) {
    await leaveServer(context, joined);
    throw error;
  }
  const locks = role === 'service' ? keepJoined(context, joined) : { release: async () => joined };
  const stop = async () => {
    const outcome = await leaveServer(context, await locks.release());
    if (outcome === 'left running' && role === 'service') {
      context.report('PostgreSQL keeps running for a command that still uses it and will stop it.');
    }
  };
  let stopped: Promise<void> | undefined;
  return {
    /** What `pg` needs to connect; it stays the same when the server is restarted. */
    connection: { ...joined.address, database: databaseName },
    /** Stops the server unless another process uses it; the last process to leave stops it. Repeated calls are harmless. */
    stop: (): Promise<void> => (stopped ??= stop()),
  };
}

async function ensureDatabase(client: ClientBase): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [databaseName]);
  if (rowCount !== 0) return;
  try {
    await client.query(`create database ${databaseName}`);
  } catch (error) {
    // Another process was first: it finished before (42P04) or during (23505) our attempt.
    if (errorCode(error) !== '42P04' && errorCode(error) !== '23505') throw error;
  }
}
