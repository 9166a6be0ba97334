import { sql } from '../database/drizzle.ts';

/** A node that was not seen for this long counts as lost; heartbeats are five times as frequent. */
export const lostAfter = sql`interval '15 seconds'`;
