import type { SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { and, sql } from './drizzle.ts';

/** A page ends with the row that makes it this large, or after this many rows. */
const pageBytes = 256 * 1024;
const maxRows = 200;

/** Where a list continues: the sort keys of its last row, as PostgreSQL prints them, since a Date has no microseconds. */
export type ListCursor = string[];

/** What a row of a page has in addition to its own columns. */
export interface PagePart {
  cursor: ListCursor;
  /** How many candidate rows there were; fewer than the maximum when the list ends with them. */
  found: number;
}

export interface PageOptions {
  /** Ascending, and unique in combination. */
  order: [PgColumn, ...PgColumn[]];
  filter: SQL | undefined;
  after: ListCursor | undefined;
  bytes: RowBytes;
}

/** How large a row is. */
export interface RowBytes {
  /** Approximately, without reading values that are stored out of line: pg_column_size and octet_length do not. */
  estimate: SQL;
  /** The size when it is read, which may be far larger where values are stored compressed. */
  real: SQL;
}

/**
 * The next page of a list, to be joined by id. Rows are measured before they are read, because ten huge rows are far more
 * work than ten small ones. Only rows that fit by estimate are measured exactly, which takes about as long as reading them.
 */
export function listPage(table: PgTable & { id: PgColumn }, options: PageOptions) {
  const { order, filter, after, bytes } = options;
  const list = (part: (column: PgColumn, index: number) => SQL) => sql.join(order.map(part), sql`, `);
  const key = (index: number) => sql.identifier(`key${index}`);
  const columns = sql.join(order, sql`, `);
  const names = list((_, index) => sql`${key(index)}`);
  const qualifiedNames = list((_, index) => sql`estimated.${key(index)}`);
  const keys = list((column, index) => sql`${column} as ${key(index)}`);
  const texts = list((column) => sql`${column}::text`);
  const typed = (cursor: ListCursor) =>
    list((column, index) => sql`${cursor[index]}::${sql.raw(column.getSQLType())}`);
  const afterCursor = after && sql`(${columns}) > (${typed(after)})`;
  const candidates = sql`select ${table.id} as id, ${keys}, array[${texts}] as cursor, ${bytes.estimate} as bytes
    from ${table} where ${and(filter, afterCursor)} order by ${columns} limit ${sql.raw(String(maxRows))}`;
  const before = sql`sum(bytes) over (order by ${names} rows unbounded preceding) - bytes as before`;
  const isBefore = sql`before < ${sql.raw(String(pageBytes))}`;
  const estimated = sql`select *, count(*) over () as found, ${before} from (${candidates}) as candidates`;
  const weighed = sql`select estimated.id, estimated.cursor, estimated.found, ${qualifiedNames}, ${bytes.real} as bytes
    from (${estimated}) as estimated join ${table} on ${table.id} = estimated.id where ${isBefore}`;
  const measured = sql`select id, cursor, found, ${before} from (${weighed}) as weighed`;
  const page = sql`(select id, cursor, found from (${measured}) as measured where ${isBefore}) as page`;
  return {
    page,
    isOnPage: sql`page.id = ${table.id}`,
    part: { cursor: sql<ListCursor>`page.cursor`, found: sql<number>`page.found::int` },
  };
}

/**
 * The size of rows with these columns. Text is counted as it is; compressed JSON usually takes a quarter of its length, but
 * repetitive JSON takes far less.
 */
export function rowBytes(texts: PgColumn[], json: PgColumn[]): RowBytes {
  const textSizes = texts.map((column) => sql`coalesce(octet_length(${column}), 0)`);
  const stored = (column: PgColumn) => sql`4 * coalesce(pg_column_size(${column}), 0)`;
  const real = (column: PgColumn) =>
    sql`case when pg_column_compression(${column}) is null then ${stored(column)} else octet_length(${column}::text) end`;
  const total = (sizes: SQL[]) => sql`(${sql.join(sizes, sql` + `)})`;
  return {
    estimate: total([...textSizes, ...json.map(stored)]),
    real: total([...textSizes, ...json.map(real)]),
  };
}

/** Pages of a list: every page but the last is yielded, and the last one, which may be empty, is returned. */
export type ListPages<Item> = AsyncGenerator<Item[], Item[], void>;

/** A list that is read page by page on demand. Nothing is locked in between, so concurrent changes may or may not show. */
export async function* inPages<Row extends PagePart, Item>(
  read: (after: ListCursor | undefined) => Promise<Row[]>,
  show: (rows: Row[]) => Item[] | Promise<Item[]>,
): ListPages<Item> {
  let after: ListCursor | undefined;
  for (;;) {
    const rows = await read(after);
    const last = rows.at(-1);
    if (!last) return [];
    if (rows.length === last.found && last.found < maxRows) return show(rows);
    after = last.cursor;
    yield show(rows);
  }
}
