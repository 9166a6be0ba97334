import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { openEmbeddedDatabase } from '../../src/database/embedded/open-embedded-database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { databaseFolder } from './database-folder.ts';

export interface PrimaryAndReplica {
  database: Database;
  primaryUrl: string;
  replicaUrl: string;
  /** Runs one statement on the replica. */
  onReplica(text: string): Promise<object[]>;
  stopReplica(): Promise<void>;
  startReplica(): Promise<void>;
  stop(): Promise<void>;
}

/** While the folder is copied, PostgreSQL must not remove a file. */
const settings = { fsync: 'off', shared_buffers: '16MB', autovacuum: 'off' };

/** A migrated PostgreSQL and its hot standby, which follows by streaming. */
export async function startPrimaryAndReplica(): Promise<PrimaryAndReplica> {
  const primaryFolder = await mkdtemp(join(databaseFolder, 'svc-primary-'));
  const replicaFolder = await mkdtemp(join(databaseFolder, 'svc-replica-'));
  const primary = await openEmbeddedDatabase({ directory: primaryFolder, role: 'command', settings });
  const database = openDatabase({ connection: primary.connection, onConnectionError: () => undefined });
  await migrate(database);
  await copyCluster(primary.connection, join(primaryFolder, 'postgres'), join(replicaFolder, 'postgres'));
  const { host, port, user } = primary.connection;
  const following = { ...settings, primary_conninfo: `host=${host} port=${port} user=${user}` };
  const start = () =>
    openEmbeddedDatabase({ directory: replicaFolder, role: 'command', settings: following });
  let replica = await start();
  const { connection } = replica;
  return {
    database,
    primaryUrl: toUrl(primary.connection),
    replicaUrl: toUrl(connection),
    async onReplica(text) {
      const client = new pg.Client(connection);
      await client.connect();
      try {
        return (await client.query<object>(text)).rows;
      } finally {
        await client.end();
      }
    },
    stopReplica: () => replica.stop(),
    async startReplica() {
      replica = await start();
    },
    async stop() {
      await database.close();
      await replica.stop();
      await primary.stop();
      await Promise.all(
        [primaryFolder, replicaFolder].map((folder) => rm(folder, { recursive: true, force: true })),
      );
    },
  };
}

type Connection = Awaited<ReturnType<typeof openEmbeddedDatabase>>['connection'];

/** As pg_basebackup does, which the embedded PostgreSQL lacks. */
async function copyCluster(connection: Connection, from: string, to: string): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  await client.query(`select pg_backup_start('replica', true)`);
  await cp(from, to, {
    recursive: true,
    preserveTimestamps: true,
    filter: (path) => !/postmaster\.|pg_internal\.init|pgsql_tmp/.test(path),
  });
  const { rows } = await client.query<{ label: string }>('select labelfile as label from pg_backup_stop()');
  await client.end();
  await writeFile(join(to, 'backup_label'), rows[0]?.label ?? '');
  await writeFile(join(to, 'standby.signal'), '');
}

function toUrl({ user, host, port, database }: Connection): string {
  return `postgres://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}
