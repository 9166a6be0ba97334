import type { Database } from '../../src/database/database.ts';

/** How many statements that contain this text wait for a lock of another transaction. */
export async function countWaitingForLocks(
  { acrossWorkspaces: query }: Database,
  text = '',
): Promise<number> {
  const { rows } = await query.raw(
    `select from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and position($1 in query) > 0`,
    [text],
  );
  return rows.length;
}
