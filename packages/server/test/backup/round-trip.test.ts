import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/database/backup/manifest.ts';
import { restoreBackup } from '../../src/database/backup/restore-backup.ts';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { applyMigration, createMigrationTable, readMigrations } from '../../src/database/migrate.ts';
import { secureRows } from '../../src/database/row-level-security.ts';
import { jobTablesOf } from '../../src/jobs/job-tables.ts';
import { createJobs } from '../../src/jobs/jobs.ts';
import { newId } from '../../src/lib/new-id.ts';
import { keyId } from '../../src/secrets/key-ring.ts';
import { fillWorkspace } from '../isolation/fill-workspace.ts';
import { openStage, type Stage } from '../isolation/walk.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { type BackupStage, openBackupStage } from './backup-stage.ts';

/** Two workspaces with rows in every table, written by the test of their isolation, while their service runs. */
let stage: Stage;
let backups: BackupStage;
/** The backed up rows, by table. */
let expected: Map<string, string>;
let restored: TestDatabase;
let manifest: Manifest;
/** Columns of bytes that the installation's key does not seal. */
const plainBytes = [
  'account_keys.hash',
  'attachments.bytes',
  'call_recording_parts.audio',
  'end_user_revocations.person',
  'knowledge_chunks.content_hash',
  'knowledge_files.bytes',
  'machines.hash',
  'member_links.token_hash',
  'tool_secrets.sealed',
  'voice_calls.session_token_hash',
];
/** A version of pg-boss's tables without some of their columns. */
const earlierJobs = 41;

beforeAll(async () => {
  [stage, backups] = await Promise.all([openStage(), openBackupStage()]);
  await fillWorkspace(stage, stage.first);
  await fillWorkspace(stage, stage.second);
  await stage.client.query(
    `insert into pgboss.job (name, data) values ('dead-letter', '{"a\\\\b": "\\t\\n☂"}')`,
  );
  for (const { table, name } of sealedColumns())
    await stage.client.query(`update ${table} set ${name} = $1`, [sealedWith(stage.service.encryptionKey)]);
  // The service changes rows from time to time: this backup shows it in a moment in which it does not.
  for (let before = new Map<string, string>(); ; before = expected) {
    ({ manifest } = await backups.write(stage.service));
    expected = await contentOf(stage.service.database);
    if (JSON.stringify([...before]) === JSON.stringify([...expected])) break;
  }
  restored = await backups.restore(manifest.id);
});
afterAll(async () => {
  await stage?.stop();
  await backups?.remove();
});

const sealedColumns = () =>
  stage.columns.filter(
    ({ table, name, type }) => type === 'bytea' && !plainBytes.includes(`${table}.${name}`),
  );
const sealedWith = (key: Buffer) => Buffer.concat([keyId(key), randomBytes(32)]);

/** Not restored: which nodes live, what a crash of PostgreSQL empties, when migrations ran, and what pg-boss noticed. */
const leftOut = [
  'public.machine_messages',
  'public.nodes',
  'public.request_counts',
  'public.schema_migrations',
  'pgboss.bam',
  'pgboss.queue_stats',
  'pgboss.version',
  'pgboss.warning',
];

/** A hash of all rows of each table. */
async function contentOf(database: Database): Promise<Map<string, string>> {
  const names = await read<string>(
    database,
    `select relnamespace::regnamespace || '.' || relname as value from pg_class
     where relkind in ('r', 'p') and not relispartition and relnamespace::regnamespace::text in ('public', 'pgboss')`,
  );
  const tables = names.filter((name) => !leftOut.includes(name));
  const content = tables.map(async (name) => {
    const [hash] = await read<string>(
      database,
      `select count(*) || ' ' || coalesce(md5(string_agg(md5(t::text), '' order by md5(t::text))), '') as value from ${name} t`,
    );
    return [name, hash ?? ''] as const;
  });
  return new Map(await Promise.all(content));
}

async function read<Value>(database: Database, text: string): Promise<Value[]> {
  const { rows } = await database.acrossWorkspaces.raw(text);
  return (rows as { value: Value }[]).map(({ value }) => value);
}

it('brings back every row of every table', async () => {
  const filled = [...expected].filter(([, content]) => !content.startsWith('0 '));
  expect(filled.length).toBeGreaterThan(45);
  expect(await contentOf(restored.database)).toEqual(expected);
});

it('leaves out which nodes live, so that their leases end as after a crash', async () => {
  expect(await read(stage.service.database, 'select id as value from nodes')).toHaveLength(1);
  expect(await read(restored.database, 'select id as value from nodes')).toEqual([]);
});

it('brings back constraints, indexes, triggers and policies', async () => {
  const definitions = `
    select conrelid::regclass || ' ' || conname || pg_get_constraintdef(oid) as value from pg_constraint
      where connamespace = 'public'::regnamespace and contype <> 'n'
    union all select indexdef from pg_indexes where schemaname = 'public' and indexdef not like '%hnsw%'
    union all select tgrelid::regclass || ' ' || tgname || tgenabled::text from pg_trigger where not tgisinternal
    union all select tablename || policyname || roles::text || qual from pg_policies where schemaname = 'public'
    order by value`;
  const wanted = await read(stage.service.database, definitions);
  expect(wanted.length).toBeGreaterThan(300);
  expect(await read(restored.database, definitions)).toEqual(wanted);
});

it('writes the same chunks when the restored database is backed up, and nothing new', async () => {
  const again = await backups.write({
    database: restored.database,
    encryptionKey: stage.service.encryptionKey,
  });
  expect(again.manifest.tables).toEqual(manifest.tables);
  expect(again.newChunks).toBe(0);
});

it('is written only if the key ring opens every sealed value that is still used', async () => {
  const { encryptionKey } = stage.service;
  expect(manifest.encryptionKeyIds).toEqual([keyId(encryptionKey).toString('hex')]);
  const { database } = await backups.restore(manifest.id);
  const set = (table: string, name: string, key: Buffer) =>
    database.acrossWorkspaces.raw(`update ${table} set ${name} = $1`, [sealedWith(key)]);
  const writing = () => backups.write({ database, encryptionKey });
  for (const { table, name } of sealedColumns()) {
    await set(table, name, randomBytes(32));
    await expect(writing(), `${table}.${name}`).rejects.toThrow(
      `does not open what is stored in ${table}: set`,
    );
    await set(table, name, encryptionKey);
  }
  // Rotating the key leaves approvals of turns that are over as they are.
  await set('approvals', 'fingerprint', randomBytes(32));
  await database.acrossWorkspaces.raw(`update turns set status = 'completed'`);
  expect((await writing()).manifest.encryptionKeyIds).toEqual(manifest.encryptionKeyIds);
});

it('knows how to store every column: none is numbered by a sequence', async () => {
  const sequences = `select sequences.relname as value from pg_class sequences
    join pg_depend on objid = sequences.oid and deptype in ('a', 'i') join pg_class tables on tables.oid = refobjid
    where sequences.relkind = 'S' and tables.relpersistence = 'p' and sequences.relnamespace = 'public'::regnamespace`;
  expect(await read(stage.service.database, sequences)).toEqual([]);
});

it('restores only into a database without tables, and changes no other', async () => {
  const used = await createTestDatabase();
  await expect(backups.restoreInto(used)).rejects.toThrow('The database is not empty');
  expect(await read(used.database, 'select id as value from workspaces')).toEqual([]);
  await used.drop();
});

it('is restored by a PostgreSQL user who may not create the role, or leaves nothing behind', async () => {
  const user = `plain_${randomBytes(4).toString('hex')}`;
  const target = await createTestDatabase({ migrated: false });
  await stage.client.query(
    `create role ${user} login; alter database ${target.connection.database} owner to ${user}`,
  );
  const connection = { ...target.connection, user };
  const database = openDatabase({ connection, onConnectionError: () => undefined });
  await expect(backups.restoreInto({ database }, manifest.id)).rejects.toThrow(
    'Let an administrator run: create role',
  );
  expect(
    await read(database, `select relname as value from pg_class where relnamespace = 'public'::regnamespace`),
  ).toEqual([]);
  await stage.client.query(`grant svc_workspace to ${user}`);
  await backups.restoreInto({ database }, manifest.id);
  const { rows } = await database.within(stage.first.id).raw('select id from workspaces');
  expect(rows).toEqual([{ id: stage.first.id }]);
  await database.close();
  await target.drop();
  await stage.client.query(`drop role ${user}`);
});

describe('a backup of another release', () => {
  let earlier: TestDatabase;
  beforeAll(async () => {
    earlier = await createTestDatabase({ migrated: false });
    const client = await earlier.database.connect('test');
    await client.query(createMigrationTable);
    for (const migration of (await readMigrations()).slice(0, -1)) await applyMigration(client, migration);
    await secureRows(client);
    for (const statement of jobTablesOf(earlierJobs) ?? []) await client.query(statement);
    await client.query(`insert into workspaces (id, name) values ('${newId()}', 'Earlier')`);
    await client.query(`
      select pgboss.create_queue('waiting', '{"policy": "standard"}');
      insert into pgboss.job (name, data) values ('waiting', '{"a": 1}')`);
    await client.end();
  });
  afterAll(() => earlier.drop());

  it('is restored as it was, and migrated like that release', async () => {
    const written = await backups.write(earlier);
    const { database } = await backups.restore(written.manifest.id);
    expect(await read(database, 'select name as value from workspaces')).toEqual(['Earlier']);
    expect(await read(database, 'select version::int as value from pgboss.version')).toEqual([earlierJobs]);
    const names = (await readMigrations()).map(({ name }) => name);
    expect(await read(database, 'select name as value from schema_migrations order by name')).toEqual(names);
    // What the service does when it starts.
    const jobs = createJobs({ database, log: pino({ level: 'silent' }) });
    await jobs.start();
    await jobs.stop(0);
    expect(await read(database, 'select data as value from pgboss.job')).toEqual([{ a: 1 }]);
    const [version] = await read<number>(database, 'select version::int as value from pgboss.version');
    expect(version).toBeGreaterThan(earlierJobs);
  });

  it('is neither written nor restored by an older one', async () => {
    const written = await backups.write(earlier);
    const refusal = 'was written by a newer version of svc';
    const migrations = [...written.manifest.migrations, '9999-later.sql'];
    await expect(restoreAs({ ...written.manifest, migrations })).rejects.toThrow(refusal);
    await expect(restoreAs({ ...written.manifest, jobsVersion: 1_000 })).rejects.toThrow(refusal);
    await earlier.database.acrossWorkspaces.raw(
      `insert into schema_migrations (name) values ('9999-later.sql')`,
    );
    await expect(backups.write(earlier)).rejects.toThrow(
      'The database was migrated by a newer version of svc (9999-later.sql)',
    );
    await earlier.database.acrossWorkspaces.raw(
      `delete from schema_migrations where name = '9999-later.sql'`,
    );
  });

  async function restoreAs(changed: Manifest): Promise<void> {
    const { database, drop } = await createTestDatabase({ migrated: false });
    try {
      await restoreBackup({
        ...backups,
        database,
        manifest: changed,
        jobTablesOf,
        onProgress: () => undefined,
      });
    } finally {
      expect(
        await read(database, `select relname as value from pg_class where relname = 'workspaces'`),
      ).toEqual([]);
      await drop();
    }
  }
});
