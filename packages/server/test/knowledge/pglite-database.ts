import { PGlite, type Transaction as PgliteTransaction } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { drizzle } from 'drizzle-orm/pglite';
import type pg from 'pg';
import type { Database, Queryable, Statement, Transaction } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';

/** An in-process PostgreSQL with pgvector and one connection, because the embedded one has no pgvector. */
export async function createPgliteDatabase(): Promise<{ database: Database; drop(): Promise<void> }> {
  // Without a path, the extension is silently ignored.
  const pglite = await PGlite.create('memory://', { extensions: { vector } });
  const database: Database = {
    query: queryable(pglite),
    urgent: queryable(pglite),
    counting: queryable(pglite),
    transaction: (work) =>
      pglite.transaction((client) =>
        work(Object.assign(queryable(client), { isTransaction: true as const }) as Transaction),
      ),
    // Without a connection that can be lost, the outcome of every commit is known.
    onUncertainCommit: () => () => undefined,
    connect: async () => clientOn(pglite),
    close: () => pglite.close(),
  };
  await migrate(database);
  return { database, drop: () => pglite.close() };
}

function queryable(client: PGlite | PgliteTransaction): Queryable {
  // A PGlite transaction runs queries like PGlite itself.
  const builder = drizzle(client as PGlite);
  const execute = builder.execute.bind(builder);
  const own = {
    prepared: async <Row extends object>({ text }: Statement, values: unknown[]): Promise<Row[]> =>
      (await client.query<Row>(text, values)).rows.map(withBuffers),
    compiled: <Compiled>(name: string, build: () => { prepare(name: string): Compiled }) =>
      build().prepare(name),
    raw: (text: string, values: unknown[] = []) => client.query<object>(text, values),
    execute: async (query: Parameters<typeof builder.execute>[0]) => {
      const result = await execute(query);
      return { ...result, rows: result.rows.map(withBuffers) };
    },
  };
  return Object.assign(builder, own) as unknown as Queryable;
}

/** The driver returns bytes as a Buffer. */
function withBuffers<Row extends object>(row: Row): Row {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    value instanceof Uint8Array ? Buffer.from(value) : value,
  ]);
  return Object.fromEntries(entries) as Row;
}

function clientOn(pglite: PGlite): pg.Client {
  const client = {
    // Several statements in one query, as in migrations, are possible only without parameters.
    query: async (text: string, values?: unknown[]) =>
      values ? pglite.query(text, values) : ((await pglite.exec(text)).at(-1) ?? { rows: [] }),
    end: async () => undefined,
  };
  return client as unknown as pg.Client;
}
