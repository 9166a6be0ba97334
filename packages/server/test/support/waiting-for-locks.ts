import type { Database } from '../../src/database/database.ts';

/** How many transactions of the database wait for a lock that another one has. */
export async function countWaitingForLocks({ query }: Database): Promise<number> {
  const { rows } = await query.raw(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows.length;
}
