import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type Database, openDatabase } from '../../packages/server/src/database/database.ts';
import { migrate } from '../../packages/server/src/database/migrate.ts';
import { ensurePgvector } from '../../packages/server/src/database/pgvector.ts';
import type { Log } from '../../packages/server/src/lib/log.ts';
import type { CleanUp } from '../support/clean-up.ts';

/** A database of its own on the operator's server, dropped at the end. */
export async function openOwnDatabase(cleanUp: CleanUp, log: Log): Promise<Database> {
  const url = process.env.DATABASE_URL;
  if (!url) {
    throw new Error(
      'Set DATABASE_URL to a PostgreSQL server with pgvector 0.8 or later, as a user who may create databases: ' +
        'the PostgreSQL that the service brings along has no pgvector.',
    );
  }
  const name = `svc_bench_${randomBytes(4).toString('hex')}`;
  const server = new pg.Client({ connectionString: url });
  await server.connect();
  await cleanUp.add(() => server.end());
  await server.query(`create database ${name}`);
  await cleanUp.add(async () => void (await server.query(`drop database ${name} with (force)`)));
  const own = new URL(url);
  own.pathname = `/${name}`;
  const database = openDatabase({
    connection: { connectionString: own.href },
    // A lost connection fails the query that needs it; those that are idle are cut when the database is dropped.
    onConnectionError: () => undefined,
  });
  await cleanUp.add(() => database.close());
  await migrate(database);
  if (!(await ensurePgvector(database, log))) throw new Error('This server has no pgvector 0.8 or later.');
  return database;
}
