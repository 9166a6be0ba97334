import type pg from 'pg';

/**
 * Removes what would check or follow each row: foreign keys, indexes and triggers. Returns how to put it back. For many rows
 * PostgreSQL does all of it faster afterwards, and the checks of foreign keys would fill its memory.
 */
export async function bareTables(client: pg.Client): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ remove: string; restore: string }>(`
    select 1 as step, format('alter table %s drop constraint %I', conrelid::regclass, conname) as remove,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as restore
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace
    union all
    select 2, format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
    from pg_index join pg_class tables on tables.oid = indrelid
    where tables.relnamespace = 'public'::regnamespace
      and not exists (select from pg_constraint where conindid = indexrelid)
    union all
    select 3, format('alter table %s disable trigger user', tgrelid::regclass),
      format('alter table %s enable trigger user', tgrelid::regclass)
    from pg_trigger join pg_class tables on tables.oid = tgrelid
    where not tgisinternal and tables.relnamespace = 'public'::regnamespace
    group by tgrelid
    order by step`);
  for (const { remove } of rows) await client.query(remove);
  return async () => {
    // Foreign keys look for their rows by the indexes, so these come first.
    for (const { restore } of rows.toReversed()) await client.query(restore);
  };
}
