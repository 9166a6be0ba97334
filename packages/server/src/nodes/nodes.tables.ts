import { integer, pgTable, text, timestamp, uuid } from '../database/drizzle.ts';

export const nodes = pgTable('nodes', {
  id: uuid().primaryKey(),
  seenAt: timestamp('seen_at', { withTimezone: true }).notNull().defaultNow(),
  startedAt: timestamp('started_at', { withTimezone: true }).notNull().defaultNow(),
  processSpace: text('process_space'),
  processId: integer('process_id'),
  reach: text(),
  release: text(),
});
