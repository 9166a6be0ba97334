import { integer, pgTable, text, timestamp, uuid } from '../database/drizzle.ts';

export const fileDeletions = pgTable('file_deletions', {
  key: text().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  dueAt: timestamp('due_at', { withTimezone: true }).notNull(),
  attempts: integer().notNull().default(0),
});
