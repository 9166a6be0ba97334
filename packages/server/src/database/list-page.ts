import type { SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { and, sql } from './drizzle.ts';

/** A page ends with the row that makes it this large, or with this many. */
const enoughBytes = 256 * 1024;
const mostRows = 200;

/** Where a list goes on: what its last row is ordered by, as PostgreSQL writes it, since a Date knows no microseconds. */
export type ListPlace = string[];

/** What a row of a page has beside its own columns. */
export interface PagePart {
  place: ListPlace;
  /** How many rows there were to choose from; fewer than the most when the list ends with them. */
  found: number;
}

export interface PageOptions {
  /** Ascending, and together unlike for every row. */
  order: [PgColumn, ...PgColumn[]];
  filter: SQL | undefined;
  after: ListPlace | undefined;
  /** About how large a row is. Must not read values that are stored apart, as pg_column_size and octet_length do not. */
  bytes: SQL;
}

/**
 * The next page of a list, to be joined by id. Rows are measured before they are read: ten small ones and ten huge ones are
 * as much work.
 */
export function listPage(table: PgTable & { id: PgColumn }, options: PageOptions) {
  const { order, filter, after, bytes } = options;
  const columns = sql.join(order, sql`, `);
  const names = sql.join(
    order.map((_, index) => sql.identifier(`key${index}`)),
    sql`, `,
  );
  const keys = sql.join(
    order.map((column, index) => sql`${column} as ${sql.identifier(`key${index}`)}`),
    sql`, `,
  );
  const texts = sql.join(
    order.map((column) => sql`${column}::text`),
    sql`, `,
  );
  const afterPlace = after && sql`(${columns}) > (${typed(order, after)})`;
  const candidates = sql`select ${table.id} as id, ${keys}, array[${texts}] as place, ${bytes} as bytes
    from ${table} where ${and(filter, afterPlace)} order by ${columns} limit ${sql.raw(String(mostRows))}`;
  const measured = sql`select id, place, count(*) over () as found,
    sum(bytes) over (order by ${names} rows unbounded preceding) - bytes as before from (${candidates}) as candidates`;
  const page = sql`(select id, place, found from (${measured}) as measured
    where before < ${sql.raw(String(enoughBytes))}) as page`;
  return {
    page,
    isOnPage: sql`page.id = ${table.id}`,
    part: { place: sql<ListPlace>`page.place`, found: sql<number>`page.found::int` },
  };
}

function typed(order: PgColumn[], place: ListPlace): SQL {
  const values = order.map((column, index) => sql`${place[index]}::${sql.raw(column.getSQLType())}`);
  return sql.join(values, sql`, `);
}

/** How large rows are that have these columns: text is counted as it is, JSON is stored in about a quarter of its length. */
export function rowBytes(texts: PgColumn[], json: PgColumn[]): SQL {
  const sizes = [
    ...texts.map((column) => sql`coalesce(octet_length(${column}), 0)`),
    ...json.map((column) => sql`4 * coalesce(pg_column_size(${column}), 0)`),
  ];
  return sql`(${sql.join(sizes, sql` + `)})`;
}

/** A list, read page by page as it is asked for. Nothing is held in between: what changes meanwhile may show or not. */
export async function* inPages<Row extends PagePart>(
  read: (after: ListPlace | undefined) => Promise<Row[]>,
): AsyncGenerator<Row[], void> {
  let after: ListPlace | undefined;
  for (;;) {
    const rows = await read(after);
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    if (rows.length === last.found && last.found < mostRows) return;
    after = last.place;
  }
}
