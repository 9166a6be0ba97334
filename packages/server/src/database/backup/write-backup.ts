import type pg from 'pg';
import { inMegabytes } from '../../lib/in-megabytes.ts';
import { release } from '../../lib/release.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import type { Database } from '../database.ts';
import { keyLock } from '../key-lock.ts';
import { migrationLock, readMigrations } from '../migrate.ts';
import type { BackupFolder, BackupList } from './backup-folder.ts';
import type { BackupKey } from './backup-key.ts';
import { createChunkSplitter } from './chunk-splitter.ts';
import { copyOut } from './copy-rows.ts';
import { listTables, readingOf, settle, type Table } from './database-tables.ts';
import { limitWork } from './limited-work.ts';
import { explainLostConnection } from './lost-connection.ts';
import {
  backupIdAt,
  type ChunkReference,
  type Manifest,
  manifestFormat,
  type TableBackup,
} from './manifest.ts';
import { findEncryptionKeys } from './sealed-values.ts';

export interface WriteOptions {
  database: Database;
  keyRing: KeyRing;
  folder: BackupFolder;
  key: BackupKey;
  /** How many backups stay in the folder, this one included; all of them if left out. */
  keep?: number | undefined;
  onProgress: (text: string) => void;
}

export interface WrittenBackup {
  manifest: Manifest;
  chunks: number;
  newChunks: number;
  /** What was added to the folder. */
  newBytes: number;
  removedBackups: string[];
}

/** Chunks that are compressed and written at the same time, so that PostgreSQL need not wait for each. */
const concurrency = 4;

/** Writes a backup of everything as it is at one moment. Chunks that are in the folder already are not written again. */
export async function writeBackup(options: WriteOptions): Promise<WrittenBackup> {
  const { database, folder } = options;
  const lock = await folder.lock();
  try {
    const earlier = await folder.list();
    const client = await database.connect('svc backup');
    try {
      const taken = await takeSnapshot(client, options);
      const written = await writeTables(client, taken.tables, earlier.manifests, options);
      await lock.check();
      const manifest: Manifest = { format: manifestFormat, ...taken.manifest, tables: written.tables };
      await folder.saveManifest(manifest);
      const removedBackups = await removeOld(earlier, manifest, options);
      return { manifest, ...written.counts, removedBackups };
    } catch (error) {
      throw explainLostConnection(error, 'Run the command again: it writes only what is missing.');
    } finally {
      await client.end();
    }
  } finally {
    await lock.release();
  }
}

interface Snapshot {
  manifest: Omit<Manifest, 'format' | 'tables'>;
  tables: Table[];
}

/** Opens the transaction that sees everything as it is now, and finds out what there is. */
async function takeSnapshot(client: pg.Client, { keyRing, onProgress }: WriteOptions): Promise<Snapshot> {
  // Until the end, no migration changes tables that are still to be read.
  await client.query('select pg_advisory_lock_shared($1)', [migrationLock]);
  // A change of the encryption key ends first: the previous key, which it removes, should not be needed for this backup.
  await client.query('select pg_advisory_lock_shared($1)', [keyLock]);
  await client.query('begin isolation level repeatable read read only');
  await settle(client);
  const { rows } = await client.query<{
    at: Date;
    version: string;
    migrations: string | null;
    jobs: string | null;
  }>(`
    select clock_timestamp() as at, current_setting('server_version') as version,
      to_regclass('schema_migrations') as migrations, to_regclass('pgboss.version') as jobs`);
  await client.query('select pg_advisory_unlock_shared($1)', [keyLock]);
  const [found] = rows;
  if (!found?.migrations) throw new Error('There is nothing to back up: the database has no tables of svc.');
  await checkRights(client);
  const { applied, tableNames } = await readApplied(client);
  const jobs = found.jobs
    ? await client.query<{ version: number }>('select version::int from pgboss.version')
    : undefined;
  const tables = (await listTables(client)).filter(({ name }) => {
    const isOurs = name.startsWith('pgboss.') || tableNames.has(name);
    if (!isOurs) onProgress(`Left out: ${name} is not a table of svc.`);
    return isOurs;
  });
  return {
    manifest: {
      id: backupIdAt(found.at),
      takenAt: found.at.toISOString(),
      release,
      serverVersion: found.version,
      encryptionKeyIds: await findEncryptionKeys(client, tables, keyRing),
      migrations: applied,
      jobsVersion: jobs?.rows[0]?.version ?? null,
    },
    tables,
  };
}

/** Row-level security shows the user who migrated the database everything, and others nothing, without an error. */
async function checkRights(client: pg.Client): Promise<void> {
  const { rows } = await client.query(`
    select from pg_roles where rolname = current_user and (rolsuper or rolbypassrls) union all
    select from pg_policy where polname = 'all_rows' and polroles @> array[current_user::regrole::oid]`);
  if (rows.length > 0) return;
  throw new Error('This PostgreSQL user may not read all rows: use the same DATABASE_URL as the service.');
}

/** The migrations of the database, and the tables that they made. */
async function readApplied(client: pg.Client): Promise<{ applied: string[]; tableNames: Set<string> }> {
  const known = new Map((await readMigrations()).map(({ name, sql }) => [name, sql]));
  const { rows } = await client.query<{ name: string }>('select name from schema_migrations order by name');
  const applied = rows.map(({ name }) => name);
  const unknown = applied.find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new Error(
      `The database was migrated by a newer version of svc (${unknown}): back it up with that version.`,
    );
  const sources = applied.map((name) => known.get(name) ?? '').join('\n');
  const created = [...sources.matchAll(/^create (?:unlogged )?table (\w+)/gm)];
  return { applied, tableNames: new Set(created.map(([, name]) => `public.${name}`)) };
}

async function writeTables(
  client: pg.Client,
  tables: readonly Table[],
  earlier: readonly Manifest[],
  options: WriteOptions,
) {
  const sizes = new Map(earlier.flatMap((one) => one.tables.flatMap(({ chunks }) => chunks)));
  const counts = { chunks: 0, newChunks: 0, newBytes: 0 };
  const written: TableBackup[] = [];
  for (const table of tables) {
    const { folder, key, onProgress } = options;
    const work = limitWork(concurrency);
    const saved: Promise<ChunkReference>[] = [];
    let [bytes, newBytes] = [0, 0];
    const save = async (content: Buffer): Promise<ChunkReference> => {
      const { reference, isNew } = await folder.saveChunk(content, (name) => sizes.get(name));
      sizes.set(...reference);
      counts.chunks += 1;
      if (isNew) {
        counts.newChunks += 1;
        counts.newBytes += reference[1];
        newBytes += content.length;
      }
      return reference;
    };
    const splitter = createChunkSplitter(key.boundaries, (content) => {
      const saving = work.run(() => save(content));
      // `room` and the wait below report it.
      saving.catch(() => undefined);
      saved.push(saving);
    });
    const rows = await copyOut(client, readingOf(table), (part) => {
      bytes += part.length;
      splitter.push(part);
      return work.room();
    });
    splitter.end();
    written.push({ ...table, rows, bytes, chunks: await Promise.all(saved) });
    if (rows > 0)
      onProgress(`${table.name}: ${rows} rows, ${inMegabytes(bytes)}, ${inMegabytes(newBytes)} of it new`);
  }
  await client.query('commit');
  return { tables: written, counts };
}

/** What a backup needs that cannot be read is not known, so that nothing is removed beside one. */
async function removeOld(
  earlier: BackupList,
  manifest: Manifest,
  { folder, keep, onProgress }: WriteOptions,
): Promise<string[]> {
  for (const { message } of earlier.problems) onProgress(`Beside this backup: ${message}`);
  if (keep === undefined) return [];
  if (earlier.problems.length > 0) {
    onProgress('Nothing was removed, because not every backup here can be read.');
    return [];
  }
  const all = [...earlier.manifests, manifest];
  const removed = all.slice(0, -keep).map(({ id }) => id);
  const chunks = await folder.remove(removed, all.slice(-keep));
  if (removed.length > 0)
    onProgress(`Removed ${removed.length} earlier backups and ${chunks} files that only they had.`);
  return removed;
}
