import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { errorCode } from '../lib/error-code.ts';
import { type KeyFiles, openKeyFiles } from '../secrets/key-files.ts';
import { createKeyRing, type KeyRing } from '../secrets/key-ring.ts';
import { type Connection, type Database, isConnectionFailure, openDatabase } from './database.ts';
import { connectionsFor } from './database-connections.ts';
import { openEmbeddedDatabase } from './embedded/open-embedded-database.ts';
import { migrate } from './migrate.ts';
import { checkServerVersion } from './server-version.ts';

export interface OpenOptions {
  config: Pick<
    Config,
    'databaseUrl' | 'dataDirectory' | 'encryptionKey' | 'previousEncryptionKeys' | 'processes'
  >;
  /** A command works beside a running service, or without one. */
  role: 'service' | 'command';
  /** False: the database is used as it is. */
  migrates?: boolean;
  onProgress: (text: string) => void;
  onConnectionError: (error: Error) => void;
  /** Ends the wait for a server that cannot be reached. */
  signal?: AbortSignal;
}

export interface OpenSharedOptions extends Pick<OpenOptions, 'config' | 'onConnectionError'> {
  connection: Connection;
  maxConnections: number;
}

export interface OpenedDatabase {
  database: Database;
  /** For processes that share the database. */
  connection: Connection;
  keyRing: KeyRing;
  /** The key ring again, where the keys are generated rather than configured. */
  keyFiles?: KeyFiles;
  /** Closes the connections and stops what was started here. */
  close(): Promise<void>;
}

const serverPatienceMilliseconds = 60_000;
const pauseMilliseconds = 500;

/** Opens the configured database, and migrates it unless told otherwise. */
export async function openConfiguredDatabase(options: OpenOptions): Promise<OpenedDatabase> {
  const { config, role, migrates = true, onProgress, onConnectionError, signal } = options;
  const keys = await openKeys(config);
  if (config.databaseUrl) {
    const connection = { connectionString: config.databaseUrl };
    const database = openDatabase({ connection, onConnectionError });
    const opened = { database, connection, ...keys, close: () => database.close() };
    return prepare(opened, migrates, async () => {
      await waitForServer(database, onProgress, signal);
      await requireOwnSessions(database);
    });
  }
  const settings = { max_connections: String(connectionsFor(config.processes)) };
  const embedded = await openEmbeddedDatabase({
    directory: config.dataDirectory,
    role,
    onProgress,
    settings,
  });
  const { connection } = embedded;
  const database = openDatabase({ connection, onConnectionError });
  const close = async () => {
    await database.close();
    await embedded.stop();
  };
  return prepare({ database, connection, ...keys, close }, migrates, async () => undefined);
}

/** Opens a database that another process of this service has opened and migrated, and keeps open. */
export async function openSharedDatabase(options: OpenSharedOptions): Promise<OpenedDatabase> {
  const { config, ...opening } = options;
  const keys = await openKeys(config);
  const database = openDatabase(opening);
  return { database, connection: opening.connection, ...keys, close: () => database.close() };
}

type Keys = Pick<OpenedDatabase, 'keyRing' | 'keyFiles'>;

/** The installation's encryption keys: configured, or generated in the data directory. */
export async function openKeys({
  encryptionKey,
  previousEncryptionKeys,
  dataDirectory,
}: OpenOptions['config']): Promise<Keys> {
  if (encryptionKey) return { keyRing: createKeyRing(encryptionKey, previousEncryptionKeys) };
  const keyFiles = await openKeyFiles(dataDirectory).catch((error: unknown) => {
    const code = errorCode(error) ?? '';
    if (!unusable.has(code)) throw error;
    throw new ConfigError(
      `SVC_DATA_DIR must be a folder that this user can read and write; ${dataDirectory} is not (${code}).`,
    );
  });
  return { keyRing: keyFiles, keyFiles };
}

/** What the system says of folders that belong to others, are on read-only disks or are no folders. */
const unusable = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST']);

async function prepare(
  opened: OpenedDatabase,
  migrates: boolean,
  wait: () => Promise<void>,
): Promise<OpenedDatabase> {
  try {
    await wait();
    await checkServerVersion(opened.database);
    if (migrates) await migrate(opened.database);
  } catch (error) {
    await opened.close();
    throw error;
  }
  return opened;
}

/** A server that starts together with the service may need a moment. */
async function waitForServer(
  database: Database,
  onProgress: (text: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  const giveUpAt = performance.now() + serverPatienceMilliseconds;
  let reported = false;
  for (;;) {
    try {
      await database.acrossWorkspaces.execute('select 1');
      return;
    } catch (error) {
      if (!isConnectionFailure(error)) throw new Error('DATABASE_URL cannot be used.', { cause: error });
      if (performance.now() > giveUpAt) {
        throw new Error('DATABASE_URL names a server that cannot be reached.', { cause: error });
      }
      if (!reported) onProgress('Waiting for the PostgreSQL server that DATABASE_URL names…');
      reported = true;
      await delay(pauseMilliseconds, undefined, { signal });
    }
  }
}

/** Enough that a pooler of transactions moves a client to another session, even if others use it. */
const [poolerClients, poolerQueries] = [4, 15];

/** Notifications, locks and prepared statements belong to a session, which a pooler of transactions shares between clients. */
async function requireOwnSessions(database: Database): Promise<void> {
  const clients: pg.Client[] = [];
  try {
    while (clients.length < poolerClients) clients.push(await database.connect('svc start'));
    const seen = await Promise.all(clients.map(sessionsOf));
    const isOwn = seen.every(({ size }) => size === 1);
    if (isOwn && new Set(seen.flatMap((sessions) => [...sessions])).size === clients.length) return;
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
  throw new Error('DATABASE_URL cannot be used.', {
    cause: new Error('it leads to a pooler that shares sessions; svc needs one with pool_mode = session'),
  });
}

/** The sessions in which the queries of a client ran. */
async function sessionsOf(client: pg.Client): Promise<Set<number>> {
  const sessions = new Set<number>();
  for (let queries = 0; queries < poolerQueries; queries += 1) {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    for (const { pid } of rows) sessions.add(pid);
  }
  return sessions;
}
