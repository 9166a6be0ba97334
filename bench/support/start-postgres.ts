import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import {
  type EmbeddedDatabase,
  openEmbeddedDatabase,
} from '../../packages/server/src/database/embedded/open-embedded-database.ts';
import { findRunningPostmaster } from '../../packages/server/src/database/embedded/postmaster.ts';
import type { CleanUp } from './clean-up.ts';

type Connection = EmbeddedDatabase['connection'];

/** Totals of all statements that a database has run. */
export interface StatementTotals {
  statements: number;
  /** Those that read or write conversations or their log. */
  ofConversations: number;
  milliseconds: number;
}

export interface Postgres {
  pid: number;
  /** An empty database on the server. */
  createDatabase(name: string): Promise<Connection>;
  readTotals(database: string): Promise<StatementTotals>;
}

const settings = {
  // Room for all services of a benchmark.
  max_connections: '400',
  shared_preload_libraries: 'pg_stat_statements',
};
const counting = `select sum(calls)::float8 as statements, sum(total_exec_time) as milliseconds,
    coalesce(sum(calls) filter (where query ~ '\\m(conversations|events)\\M'), 0)::float8 as "ofConversations"
  from pg_stat_statements where dbid = (select oid from pg_database where datname = $1)`;

/** One PostgreSQL for several services. */
export async function startPostgres(cleanUp: CleanUp): Promise<Postgres> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  await cleanUp.add(() => rm(directory, { recursive: true, force: true }));
  const { connection, stop } = await openEmbeddedDatabase({ directory, role: 'command', settings });
  await cleanUp.add(stop);
  const pid = await findRunningPostmaster(join(directory, 'postgres'));
  if (pid === undefined) throw new Error('PostgreSQL has no process.');
  const pool = new pg.Pool(connection);
  await cleanUp.add(() => pool.end());
  await pool.query('create extension pg_stat_statements');
  return {
    pid,
    async createDatabase(name) {
      await pool.query(`create database ${name}`);
      return { ...connection, database: name };
    },
    async readTotals(database) {
      const { rows } = await pool.query<StatementTotals>(counting, [database]);
      return rows[0] ?? { statements: Number.NaN, ofConversations: Number.NaN, milliseconds: Number.NaN };
    },
  };
}

export function toUrl({ user, password, host, port, database }: Connection): string {
  const login = password === undefined ? user : `${user}:${encodeURIComponent(password)}`;
  return `postgres://${login}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}
