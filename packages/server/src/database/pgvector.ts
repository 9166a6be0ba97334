import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '../lib/log.ts';
import type { Database } from './database.ts';
import { sql } from './drizzle.ts';

/** Since this version a filtered search continues until it has found enough. */
const minimumVersion = [0, 8];

/** Whether PostgreSQL can search vectors; installs the extension where the server offers it and permits it. */
export async function ensurePgvector(database: Database, log: Log): Promise<boolean> {
  const found = await findExtension(database);
  if (!found) return false;
  if (!found.installed) {
    try {
      await database.acrossWorkspaces.execute(sql`create extension if not exists vector`);
    } catch (error) {
      // Another node may have been faster.
      if (!(await findExtension(database))?.installed) {
        log.info(
          { err: error },
          'The server has pgvector, but this user may not create the extension: vectors are searched in memory.',
        );
        return false;
      }
    }
  }
  const version = (await findExtension(database))?.installed ?? '';
  if (isUseful(version)) return true;
  log.info({ version }, 'This pgvector is older than 0.8: vectors are searched in memory.');
  return false;
}

async function findExtension(database: Database): Promise<{ installed: string | null } | undefined> {
  const { rows } = await database.acrossWorkspaces.execute<{ installed: string | null }>(
    sql`select installed_version as installed from pg_available_extensions where name = 'vector'`,
  );
  return rows[0];
}

function isUseful(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [minimumMajor = 0, minimumMinor = 0] = minimumVersion;
  return major > minimumMajor || (major === minimumMajor && minor >= minimumMinor);
}

export interface ConcurrentIndex {
  name: string;
  /** What follows `create index NAME`. */
  definition: string;
}

/** An arbitrary fixed number: nodes build and drop indexes one after the other. */
const buildLock = 7_310_422_010;
const lookAgainMilliseconds = 1_000;

/** Builds a missing index without blocking writes. One that an earlier attempt left unfinished is rebuilt. */
export async function buildIndex(
  database: Database,
  { name, definition }: ConcurrentIndex,
  signal: AbortSignal,
): Promise<void> {
  await withBuilder(database, signal, async (client) => {
    const { rows } = await client.query<{ valid: boolean }>(
      'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
      [name],
    );
    if (rows[0]?.valid) return;
    if (rows[0]) await client.query(`drop index concurrently ${name}`);
    await client.query(`create index concurrently ${name} ${definition}`);
  });
}

/** Drops indexes without blocking reads or writes. */
export async function dropIndexes(
  database: Database,
  names: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  if (names.length === 0) return;
  await withBuilder(database, signal, async (client) => {
    for (const name of names) await client.query(`drop index concurrently if exists ${name}`);
  });
}

async function withBuilder(
  database: Database,
  signal: AbortSignal,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  signal.throwIfAborted();
  const client = await database.connect('svc index');
  const giveUp = () => void client.end();
  signal.addEventListener('abort', giveUp);
  try {
    signal.throwIfAborted();
    await lockToBuild(client, signal);
    await work(client);
  } finally {
    signal.removeEventListener('abort', giveUp);
    await client.end();
  }
}

/** Asks again and again: a statement that waits for the lock would be one that a concurrent build waits for, a deadlock. */
async function lockToBuild(client: pg.Client, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      buildLock,
    ]);
    if (rows[0]?.locked) return;
    await delay(lookAgainMilliseconds, undefined, { signal });
  }
}
