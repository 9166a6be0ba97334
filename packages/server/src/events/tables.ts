import { bigint, json, pgTable, primaryKey, text, timestamp, uuid } from '../database/drizzle.ts';

export const events = pgTable(
  'events',
  {
    conversationId: uuid('conversation_id').notNull(),
    sequence: bigint({ mode: 'number' }).notNull(),
    workspaceId: uuid('workspace_id').notNull(),
    turnId: uuid('turn_id'),
    type: text().notNull(),
    data: json().$type<Record<string, unknown>>().notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.conversationId, table.sequence] })],
);
