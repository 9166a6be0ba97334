import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import type { Database } from './database.ts';

const migrationsFolder = join(import.meta.dirname, 'migrations');
/** An arbitrary fixed number: nodes that start together lock it in turn. */
const migrationLock = 7_310_422_001;

export interface Migration {
  name: string;
  sql: string;
}

/** Applies missing migrations, oldest first, each in its own transaction. Safe when several nodes start together. */
export async function migrate(database: Database): Promise<string[]> {
  const client = await database.connect('svc migrations');
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    return await applyMissing(client, await readMigrations());
  } finally {
    await client.end();
  }
}

async function readMigrations(): Promise<Migration[]> {
  const files = (await readdir(migrationsFolder)).filter((name) => name.endsWith('.sql')).toSorted();
  return Promise.all(
    files.map(async (name) => ({ name, sql: await readFile(join(migrationsFolder, name), 'utf8') })),
  );
}

async function applyMissing(client: pg.Client, migrations: Migration[]): Promise<string[]> {
  await client.query(
    'create table if not exists schema_migrations (name text primary key, applied_at timestamptz not null default now())',
  );
  const { rows } = await client.query<{ name: string }>('select name from schema_migrations');
  const applied = new Set(rows.map((row) => row.name));
  const known = new Set(migrations.map((migration) => migration.name));
  const newer = [...applied].find((name) => !known.has(name));
  if (newer)
    throw new Error(`The database was migrated by a newer version of svc (${newer}): start that one.`);

  const missing = migrations.filter((migration) => !applied.has(migration.name));
  for (const { name, sql } of missing) {
    try {
      await client.query('begin');
      await client.query(sql);
      await client.query('insert into schema_migrations (name) values ($1)', [name]);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw new Error(`The migration ${name} failed.`, { cause: error });
    }
  }
  return missing.map((migration) => migration.name);
}
