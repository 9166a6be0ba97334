import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/drizzle.ts';

/** The tables with rows of workspaces, except those of the log itself and of repeated requests. */
async function listTables({ acrossWorkspaces: query }: Database): Promise<string[]> {
  const { rows } = await query.execute<{ name: string }>(
    sql`select table_name as name
      from information_schema.columns join information_schema.tables using (table_schema, table_name)
      where table_schema = 'public' and column_name = 'workspace_id' and table_type = 'BASE TABLE'
        and table_name not in ('audit_entries', 'idempotency_records')`,
  );
  return rows.map(({ name }) => name);
}

/** The tables to which the transactions of these entries have also written. */
export async function tablesWrittenWith(database: Database, entryIds: string[]): Promise<string[]> {
  const written = (await listTables(database)).map(
    (name) => sql`select ${name} as name where exists (select from ${sql.identifier(name)}
      where xmin in (select xmin from audit_entries where id = any(${sql.param(entryIds)}::uuid[])))`,
  );
  const { rows } = await database.acrossWorkspaces.execute<{ name: string }>(
    sql.join(written, sql` union all `),
  );
  return rows.map(({ name }) => name);
}

/** How many rows of a workspace each table has. */
export async function countRows(database: Database, workspaceId: string): Promise<Map<string, number>> {
  const counts = (await listTables(database)).map(
    (name) => sql`select ${name} as name, count(*)::int as count from ${sql.identifier(name)}
      where workspace_id = ${workspaceId}`,
  );
  const { rows } = await database.acrossWorkspaces.execute<{ name: string; count: number }>(
    sql.join(counts, sql` union all `),
  );
  return new Map(rows.map(({ name, count }) => [name, count]));
}
