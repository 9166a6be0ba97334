import { integer, pgTable, text, timestamp } from '../database/drizzle.ts';

export type CountsTable = ReturnType<typeof countsTable>;

/** Written by the SQL function `count_requests`. Not logged by PostgreSQL. */
export const requestCounts = countsTable('request_counts');

/** Written by the SQL function `count_messages`. Survives a crash of PostgreSQL. */
export const messageCounts = countsTable('message_counts');

function countsTable(name: string) {
  return pgTable(name, {
    name: text().primaryKey(),
    count: integer().notNull(),
    endsAt: timestamp('ends_at', { withTimezone: true }).notNull(),
  });
}
