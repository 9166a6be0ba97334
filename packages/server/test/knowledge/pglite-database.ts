import { PGlite, type Transaction as PgliteTransaction } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { drizzle } from 'drizzle-orm/pglite';
import type pg from 'pg';
import type { Database, Queryable, Statement, Statements, Transaction } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { beginWithin } from '../../src/database/workspace-statement.ts';

/** An in-process PostgreSQL with pgvector and one connection, because the embedded one has no pgvector. */
export async function createPgliteDatabase(): Promise<{ database: Database; drop(): Promise<void> }> {
  // Without a path, the extension is silently ignored.
  const pglite = await PGlite.create('memory://', { extensions: { vector } });
  const database: Database = {
    within: (workspaceId) => statements(within(workspaceId)),
    acrossWorkspaces: statements(''),
    urgent: queryable(pglite),
    counting: queryable(pglite),
    // Without a connection that can be lost, the outcome of every commit is known.
    onUncertainCommit: () => () => undefined,
    connect: async () => clientOn(pglite),
    pools: () => [],
    close: () => pglite.close(),
  };
  await migrate(database);
  return { database, drop: () => pglite.close() };

  /** Begins every statement and transaction with this one. */
  function statements(first: string): Statements {
    const begun = <Result>(work: (client: PgliteTransaction) => Promise<Result>) =>
      pglite.transaction(async (client) => {
        if (first) await client.exec(first);
        return work(client);
      });
    const query: PGlite['query'] = (...statement) => begun((client) => client.query(...statement));
    return Object.assign(queryable({ query } as PGlite), {
      transaction: <Result>(work: (tx: Transaction) => Promise<Result>) =>
        begun((client) => work(Object.assign(queryable(client), { isTransaction: true as const }))),
    });
  }
}

/** What the pool sends together with a statement of the workspace. */
const within = (workspaceId: string) => beginWithin(workspaceId).replace('begin; ', '');

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
