import type { Database } from '../../src/database/database.ts';

/** The tables of every schema that contain a text in any column. */
export async function tablesContaining(database: Database, text: string): Promise<string[]> {
  const { rows } = await database.acrossWorkspaces.raw(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') order by 1`,
  );
  const found: string[] = [];
  for (const { name } of rows as { name: string }[]) {
    const pattern = `%${text.replaceAll(/[%_\\]/g, '\\$&')}%`;
    const hits = await database.acrossWorkspaces.raw(
      `select from ${name} as one where one::text like $1 limit 1`,
      [pattern],
    );
    if (hits.rows.length > 0) found.push(name);
  }
  return found;
}
