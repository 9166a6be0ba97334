import type pg from 'pg';

/** Tables whose rows are of no use elsewhere, or later. */
const leftOut: ReadonlySet<string> = new Set([
  // The manifest lists the migrations, and restoring runs them.
  'public.schema_migrations',
  // Which nodes live: the leases of all of them end with the restore, as if they had crashed.
  'public.nodes',
  // Belongs to the tables of pg-boss, which restoring creates.
  'pgboss.version',
  'pgboss.bam',
  // What pg-boss noticed and counted.
  'pgboss.warning',
  'pgboss.queue_stats',
]);

export interface Table {
  name: string;
  columns: string[];
  /** Sorts its rows in the same way in every database, whatever its collation. */
  order: string;
}

/**
 * The tables of an installation, without those that a crash of PostgreSQL empties. Partitions are read with their table, and tables of
 * extensions belong to these.
 */
export async function listTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select schemas.nspname || '.' || tables.relname as name,
      (select array_agg(quote_ident(attname) order by attnum) from pg_attribute
        where attrelid = tables.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
      coalesce(
        (select string_agg(quote_ident(attname) || case when attcollation <> 0 then ' collate "C"' else '' end, ', ' order by place)
          from pg_index, unnest(indkey::int[]) with ordinality as key (number, place), pg_attribute
          where indrelid = tables.oid and indisprimary and attrelid = tables.oid and attnum = number),
        quote_ident(tables.relname) || '::text collate "C"') as "order"
    from pg_class tables join pg_namespace schemas on schemas.oid = tables.relnamespace
    where schemas.nspname in ('public', 'pgboss') and tables.relkind in ('r', 'p') and tables.relpersistence = 'p'
      and not tables.relispartition and not exists (
        select from pg_depend where classid = 'pg_class'::regclass and objid = tables.oid and deptype = 'e')
    order by name`);
  return rows.filter(({ name }) => !leftOut.has(name));
}

/** The statement that reads all rows, sorted. */
export function readingOf({ name, columns, order }: Table): string {
  return `copy (select ${columns.join(', ')} from ${quoted(name)} order by ${order}) to stdout`;
}

export function writingOf({ name, columns }: Pick<Table, 'name' | 'columns'>): string {
  return `copy ${quoted(name)} (${columns.join(', ')}) from stdin`;
}

function quoted(name: string): string {
  return name
    .split('.')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.');
}

/** Makes a transaction independent of settings of the server and the user: how values are written, and how long anything may take. */
export async function settle(client: pg.Client): Promise<void> {
  await client.query(`
    set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres';
    set local extra_float_digits = 1; set local bytea_output = 'hex'; set local client_encoding = 'UTF8';
    select set_config(name, '0', true) from pg_settings
    where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`);
}
