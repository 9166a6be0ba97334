import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { serverUser } from '../../../src/database/embedded/create-cluster.ts';
import { openDataDirectory } from '../../../src/database/embedded/data-directory.ts';
import { findRunningPostmaster } from '../../../src/database/embedded/postmaster.ts';
import { type ServerAddress, socketDirectoryFor } from '../../../src/database/embedded/server-address.ts';
import { startServer } from '../../../src/database/embedded/start-server.ts';
import { isProcessRunning } from '../../../src/lib/is-process-running.ts';
import { until } from '../../support/faults/until.ts';

export const databaseName = 'svc';

export interface PostgresServer {
  /** For proxies: PostgreSQL listens on a Unix socket only. */
  connect(): Socket;
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  isRunning(): boolean;
  /** SIGINT: fast shutdown. SIGQUIT: immediate shutdown. SIGKILL: no shutdown at all. */
  stop(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Survives the death of every process, but not of the machine, at the speed of memory. */
const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  shared_buffers: '32MB',
};

/** The embedded PostgreSQL on a directory of its own, without the service's own care for it. */
export async function startPostgresServer(path: string): Promise<PostgresServer> {
  const directory = await openDataDirectory(path);
  const context = { directory, transport: 'socket' as const, settings, report: () => undefined };
  const address: ServerAddress = {
    host: socketDirectoryFor(directory),
    port: 5432,
    user: serverUser,
    ssl: false,
  };
  let pool: pg.Pool | undefined;
  let running = false;
  let postmasterId: number | undefined;
  process.once('exit', () => {
    if (postmasterId !== undefined && isProcessRunning(postmasterId)) process.kill(postmasterId, 'SIGQUIT');
  });

  async function accepts(): Promise<boolean> {
    const client = new pg.Client({ ...address, database: 'postgres' });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rowCount } = await client.query('select from pg_database where datname = $1', [databaseName]);
      if (rowCount === 0) await client.query(`create database ${databaseName}`);
      return true;
    } catch {
      // Starting up, or recovering: the caller tries again.
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  const server: PostgresServer = {
    connect: () => connect(`${address.host}/.s.PGSQL.${address.port}`),
    isRunning: () => running,
    async query<Row extends object>(text: string, values: unknown[] = []) {
      if (!pool) throw new Error('PostgreSQL is down.');
      return (await pool.query<Row>(text, values)).rows;
    },
    async start() {
      let started = await startServer(context, undefined);
      await until('PostgreSQL starts', async () => {
        if (await accepts()) return true;
        // The backends of a killed server may still be there for a moment, and it refuses to start beside them.
        if (started.hasEnded()) {
          await sleep(200);
          started = await startServer(context, undefined);
        }
        return false;
      });
      pool = new pg.Pool({ ...address, database: databaseName, max: 4 });
      pool.on('error', () => undefined);
      postmasterId = await findRunningPostmaster(directory.cluster);
      running = true;
    },
    async stop(signal) {
      running = false;
      const postmaster = await findRunningPostmaster(directory.cluster);
      // pg reports connections that end while they are closed; nothing waits for them.
      void pool?.end().catch(() => undefined);
      pool = undefined;
      if (postmaster === undefined) return;
      process.kill(postmaster, signal);
      const isGone = async () => (await findRunningPostmaster(directory.cluster)) === undefined;
      await until('PostgreSQL ends', isGone);
      postmasterId = undefined;
    },
    close: () => server.stop('SIGQUIT'),
  };
  await server.start();
  return server;
}
