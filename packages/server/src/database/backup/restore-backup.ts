import type pg from 'pg';
import { inMegabytes } from '../../lib/in-megabytes.ts';
import { release } from '../../lib/release.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import type { Database } from '../database.ts';
import { applyMigration, createMigrationTable, migrate, migrationLock, readMigrations } from '../migrate.ts';
import { requireWorkspaceRole } from '../row-level-security.ts';
import type { BackupFolder } from './backup-folder.ts';
import type { BackupKey } from './backup-key.ts';
import { bareTables } from './bare-tables.ts';
import { createChunkSplitter } from './chunk-splitter.ts';
import { copyIn, copyOut } from './copy-rows.ts';
import { readingOf, settle, writingOf } from './database-tables.ts';
import { explainLostConnection } from './lost-connection.ts';
import type { Manifest, TableBackup } from './manifest.ts';
import { readRows } from './read-backup.ts';

export interface RestoreOptions {
  database: Database;
  folder: BackupFolder;
  key: BackupKey;
  manifest: Manifest;
  /** The statements that create the tables of jobs as they were in this version; undefined if it is unknown. */
  jobTablesOf: (version: number) => string[] | undefined;
  onProgress: (text: string) => void;
}

/** Without these keys, secrets that the backup contains could not be opened. */
export function checkEncryptionKeys({ id, encryptionKeyIds }: Manifest, keyRing: KeyRing): void {
  if (encryptionKeyIds.every((one) => keyRing.find(Buffer.from(one, 'hex')))) return;
  throw new Error(
    `The secrets in the backup ${id} were encrypted with another key than this installation has: set SVC_ENCRYPTION_KEY to that of the installation that was backed up, and SVC_ENCRYPTION_KEY_PREVIOUS if it was being rotated, or copy its files encryption-key and encryption-key.previous into the data directory.`,
  );
}

/** Restores a backup into an empty database: everything, or nothing if it fails or is interrupted. */
export async function restoreBackup(options: RestoreOptions): Promise<void> {
  const { database, manifest, onProgress } = options;
  const client = await database.connect('svc restore');
  try {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      migrationLock,
    ]);
    if (!rows[0]?.locked) throw new Error('Another process is migrating or restoring this database.');
    await requireEmpty(client);
    await requireWorkspaceRole(client);
    await client.query('begin');
    await createTables(client, options);
    const restoreChecks = await bareTables(client);
    await settle(client);
    for (const table of manifest.tables) await load(client, table, options);
    onProgress('Checking the rows, and building indexes…');
    for (const table of manifest.tables) await compare(client, table, options);
    await restoreChecks();
    await client.query('commit');
  } catch (error) {
    throw explainLostConnection(error, 'Nothing was restored: run the command again.');
  } finally {
    await client.end();
  }
  try {
    await migrate(database);
    await database.acrossWorkspaces.execute('analyze');
  } catch (error) {
    throw new Error(
      'Everything was restored, but the database was not migrated: start the service, which does it.',
      {
        cause: error,
      },
    );
  }
}

async function requireEmpty(client: pg.Client): Promise<void> {
  const { rows } = await client.query(`
    select from pg_class tables where relkind in ('r', 'p') and relnamespace in (
      select oid from pg_namespace where nspname in ('public', 'pgboss')
    ) and not exists (
      select from pg_depend where classid = 'pg_class'::regclass and objid = tables.oid and deptype = 'e'
    ) limit 1`);
  if (rows.length === 0) return;
  throw new Error(
    'The database is not empty: restore into a new one, before any service has started there. Nothing was changed.',
  );
}

/** The tables as they were when the backup was written. */
async function createTables(client: pg.Client, { manifest, jobTablesOf }: RestoreOptions): Promise<void> {
  const known = new Map((await readMigrations()).map((migration) => [migration.name, migration]));
  await client.query(createMigrationTable);
  for (const name of manifest.migrations) {
    const migration = known.get(name);
    if (!migration) throw newerRelease(manifest);
    await applyMigration(client, migration);
  }
  if (manifest.jobsVersion === null) return;
  const statements = jobTablesOf(manifest.jobsVersion);
  if (!statements) throw newerRelease(manifest);
  for (const statement of statements) await client.query(statement);
}

function newerRelease({ id, release: theirs }: Manifest): Error {
  return new Error(
    `The backup ${id} was written by a newer version of svc (${theirs}) than this one (${release}): restore it with that version.`,
  );
}

async function load(
  client: pg.Client,
  table: TableBackup,
  { folder, onProgress }: RestoreOptions,
): Promise<void> {
  if (table.rows === 0) return;
  await copyIn(client, writingOf(table), readRows(folder, table));
  onProgress(`${table.name}: ${table.rows} rows, ${inMegabytes(table.bytes)}`);
}

/** Reads the rows back: split at the same boundaries, they must give the same chunks. */
async function compare(client: pg.Client, table: TableBackup, { key }: RestoreOptions): Promise<void> {
  const names: string[] = [];
  const splitter = createChunkSplitter(key.boundaries, (chunk) => void names.push(key.nameOf(chunk)));
  const rows = await copyOut(client, readingOf(table), (part) => {
    splitter.push(part);
    return undefined;
  });
  splitter.end();
  const isEqual =
    rows === table.rows &&
    names.length === table.chunks.length &&
    table.chunks.every(([name], index) => name === names[index]);
  if (!isEqual)
    throw new Error(`The rows of ${table.name} are not those of the backup. Nothing was restored.`);
}
