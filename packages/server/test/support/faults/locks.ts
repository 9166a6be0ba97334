import { join } from 'node:path';
import pg from 'pg';
import { expect } from 'vitest';
import type { Connection } from '../../../src/database/database.ts';
import { serverUser } from '../../../src/database/embedded/create-cluster.ts';
import { databaseName } from '../../../src/database/embedded/open-embedded-database.ts';
import { readPostmasterFile } from '../../../src/database/embedded/postmaster.ts';
import { until } from './until.ts';

/** How to reach the embedded PostgreSQL of a data directory from outside. */
export async function embeddedConnection(dataDirectory: string): Promise<Connection> {
  const file = await readPostmasterFile(join(dataDirectory, 'postgres'));
  if (!file) throw new Error('No server runs.');
  return { host: file.socketDirectory, port: file.port, user: serverUser, database: databaseName };
}

export async function connectTo(connection: Connection): Promise<pg.Client> {
  const client = new pg.Client({ ...(connection as pg.ClientConfig), application_name: 'fault test' });
  // It may die with the server.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

export interface Lock {
  /** Waits until a backend is blocked by the lock. */
  blocks(): Promise<void>;
  /** Terminates the backends that wait for it, so that their writes are undone, and releases it. */
  abort(): Promise<void>;
  release(): Promise<void>;
}

/** Locks a row, so that its writers wait: this prolongs the moment between a request and its commit. */
export function lockRow(
  connection: Connection,
  table: 'billing_accounts' | 'conversations' | 'evaluation_cases' | 'knowledge_statistics' | 'tool_calls',
  condition: string,
): Promise<Lock> {
  const name = `${table} ${condition}`;
  return holdLock(connection, name, async (locker) => {
    const locked = await locker.query(`select 1 from ${table} where ${condition} for update`);
    expect(locked.rowCount).toBe(1);
  });
}

/** Locks a table, so that its writers wait, those that insert too. */
export function lockTable(connection: Connection, table: 'knowledge' | 'machine_calls'): Promise<Lock> {
  return holdLock(connection, table, async (locker) => {
    await locker.query(`lock table ${table} in exclusive mode`);
  });
}

async function holdLock(
  connection: Connection,
  name: string,
  acquire: (locker: pg.Client) => Promise<void>,
): Promise<Lock> {
  const locker = await connectTo(connection);
  const watcher = await connectTo(connection);
  await locker.query('begin');
  await acquire(locker);
  const waiting = `from pg_stat_activity where ${await backendOf(locker)} = any(pg_blocking_pids(pid))`;
  const isWaitedFor = async () => (await watcher.query(`select 1 ${waiting}`)).rowCount !== 0;
  const release = async () => {
    await locker.end();
    await watcher.end();
  };
  return {
    blocks: () => until(`a backend waits for ${name}`, isWaitedFor),
    async abort() {
      await watcher.query(`select pg_terminate_backend(pid) ${waiting}`);
      await until('no backend waits any more', async () => !(await isWaitedFor()));
      await release();
    },
    release,
  };
}

async function backendOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}
