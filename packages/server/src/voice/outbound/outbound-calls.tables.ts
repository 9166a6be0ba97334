import { pgTable, timestamp, uuid } from '../../database/drizzle.ts';

/** The numbers that were dialed in the last day, for calls and transfers. */
export const voiceDials = pgTable('voice_dials', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  dialedAt: timestamp('dialed_at', { withTimezone: true }).notNull().defaultNow(),
});
