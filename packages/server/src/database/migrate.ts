import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { errorCode } from '../lib/error-code.ts';
import type { Database } from './database.ts';
import { secureRows } from './row-level-security.ts';

const migrationsFolder = join(import.meta.dirname, 'migrations');
/** An arbitrary fixed number: nodes that start together lock it one after the other. */
export const migrationLock = 7_310_422_001;

/** How long others may use the tables before a migration fails. */
const patienceMilliseconds = 600_000;
/** How long an attempt waits for a lock. One of them is longer: after a second PostgreSQL ends an autovacuum that is in the way. */
const lockTimeouts = [500, 500, 1_500];
/** In between, requests that had to wait are served. */
const pauseMilliseconds = 1_000;
/** A lock was not available in time, or a deadlock was ended here. */
const lockProblems = ['55P03', '40P01'];

export type Migration = Awaited<ReturnType<typeof readMigrations>>[number];

/** Applies missing migrations, oldest first, each in its own transaction, and secures their tables. Safe when several nodes start together. */
export async function migrate(database: Database): Promise<string[]> {
  const client = await database.connect('svc migrations');
  try {
    const applied = await applyMissing(client);
    await secureRows(client);
    return applied;
  } finally {
    await client.end();
  }
}

interface AppliedMigration {
  name: string;
  /** Versions without this migration cannot work on the database. Null: those before it can, because it only adds. */
  needs: string | null;
}

/** Oldest first. */
export async function readMigrations() {
  const files = (await readdir(migrationsFolder)).filter((name) => name.endsWith('.sql')).toSorted();
  return Promise.all(
    files.map(async (name) => ({ name, sql: await readFile(join(migrationsFolder, name), 'utf8') })),
  );
}

async function applyMissing(client: pg.Client): Promise<string[]> {
  const migrations = await readMigrations();
  // A backup that is being written holds the lock too. Only a migration has to wait for it, not every node that starts.
  if ((await findMissing(client, migrations))?.length === 0) return [];
  await client.query('select pg_advisory_lock($1)', [migrationLock]);
  await client.query(createMigrationTable);
  const missing = (await findMissing(client, migrations)) ?? migrations;
  for (const migration of missing) await applyBetweenRequests(client, migration);
  return missing.map((migration) => migration.name);
}

/**
 * Applies a migration in a transaction that gives up when it does not get a lock, and starts over. Requests of the previous release, which
 * still runs, lock the same tables in another order: PostgreSQL would end one of the two after a second, and while a
 * migration waits for a table, so does everything else that uses it.
 */
async function applyBetweenRequests(client: pg.Client, migration: Migration): Promise<void> {
  const giveUpAt = performance.now() + patienceMilliseconds;
  for (let attempt = 0; ; attempt += 1) {
    await client.query(`begin; set local lock_timeout = ${lockTimeouts[attempt % lockTimeouts.length]}`);
    try {
      await applyMigration(client, migration);
      await client.query('commit');
      return;
    } catch (error) {
      await client.query('rollback');
      const isLocked = error instanceof Error && lockProblems.includes(errorCode(error.cause) ?? '');
      if (!isLocked || performance.now() > giveUpAt) throw error;
      await delay(pauseMilliseconds);
    }
  }
}

export const createMigrationTable = `
  create table if not exists schema_migrations (name text primary key, applied_at timestamptz not null default now());
  alter table schema_migrations add column if not exists needs text`;

/** Applies one migration in a transaction of the caller's. */
export async function applyMigration(client: pg.Client, { name, sql }: Migration): Promise<void> {
  try {
    await client.query(sql);
    await client.query('insert into schema_migrations (name, needs) values ($1, $2)', [name, needsOf(sql)]);
  } catch (error) {
    throw new Error(`The migration ${name} failed.`, { cause: error });
  }
}

/** The migrations that the database lacks; undefined if it does not list any yet. */
async function findMissing(client: pg.Client, migrations: Migration[]): Promise<Migration[] | undefined> {
  const { rows: columns } = await client.query(
    `select from pg_attribute where attrelid = to_regclass('schema_migrations') and attname = 'needs'`,
  );
  if (columns.length === 0) return undefined;
  const { rows } = await client.query<AppliedMigration>('select name, needs from schema_migrations');
  const applied = new Set(rows.map((row) => row.name));
  const known = new Set(migrations.map((migration) => migration.name));
  // In a rolling deploy the previous version may have to start once more.
  const newer = rows.find(({ name, needs }) => !known.has(name) && needs !== null && !known.has(needs));
  if (newer) {
    throw new Error(
      `The database was migrated by a newer version of svc (${newer.name}) and lacks what this one uses: start that one.`,
    );
  }
  return migrations.filter((migration) => !applied.has(migration.name));
}

/** A migration that removes something names the release that stopped using it by its newest migration. */
function needsOf(sql: string): string | null {
  const named = [...sql.matchAll(/unused since (\d{4}-[\w-]+\.sql)/g)].flatMap(([, name]) => name ?? []);
  return named.toSorted().at(-1) ?? null;
}
