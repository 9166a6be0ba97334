import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findRunningPostmaster } from '../../src/database/embedded/postmaster.ts';
import { connectTo, embeddedConnection } from './faults/locks.ts';

export interface Outage {
  /** Kills PostgreSQL under the service, which restarts it as soon as it can. */
  killPostgres(): Promise<void>;
  /** From here on PostgreSQL cannot start. */
  preventStart(): Promise<void>;
  allowStart(): Promise<void>;
  /** Locks the table, so that writers wait until PostgreSQL dies. */
  lockTable(name: string): Promise<void>;
  /** How many connections wait for a lock. */
  countWaiting(): Promise<number>;
}

/** Causes outages of the embedded PostgreSQL of a data directory. */
export function createOutage(dataDirectory: string): Outage {
  const cluster = join(dataDirectory, 'postgres');
  // An operator's own settings, read on startup.
  const settings = join(cluster, 'postgresql.auto.conf');

  const connect = async () => connectTo(await embeddedConnection(dataDirectory));

  return {
    async killPostgres() {
      const processId = await findRunningPostmaster(cluster);
      if (processId === undefined) throw new Error('No server runs.');
      process.kill(processId, 'SIGKILL');
    },
    preventStart: () => writeFile(settings, "shared_buffers = 'many'\n"),
    allowStart: () => rm(settings),
    async lockTable(name) {
      const client = await connect();
      await client.query(`begin; lock table ${name} in exclusive mode`);
    },
    async countWaiting() {
      const client = await connect();
      const { rows } = await client.query<{ count: number }>(
        'select count(*)::int as count from pg_locks where not granted',
      );
      await client.end();
      return rows[0]?.count ?? 0;
    },
  };
}
