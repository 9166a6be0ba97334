import type { Database, Queryable } from './database.ts';
import { sql } from './drizzle.ts';

const minimumVersion = 150_000;

/** Refuses a server that is too old for our SQL, before anything is written to it. */
export async function checkServerVersion(database: Database): Promise<void> {
  const { rows } = await database.acrossWorkspaces.execute<{ number: string; name: string }>(
    sql`select current_setting('server_version_num') as number, current_setting('server_version') as name`,
  );
  const version = rows[0];
  if (!version || Number(version.number) < minimumVersion) {
    throw new Error(`DATABASE_URL points at PostgreSQL ${version?.name}: version 15 or later is needed.`);
  }
}

/** Such as 17.5. */
export async function readServerVersion(query: Queryable): Promise<string> {
  const { rows } = await query.execute<{ name: string }>(
    sql`select current_setting('server_version') as name`,
  );
  return rows[0]?.name ?? 'unknown';
}
