import { integer, pgTable, text, timestamp } from '../database/drizzle.ts';

/** Written by the SQL function `count_requests`. Not logged by PostgreSQL. */
export const requestCounts = pgTable('request_counts', {
  name: text().primaryKey(),
  count: integer().notNull(),
  endsAt: timestamp('ends_at', { withTimezone: true }).notNull(),
});
