import type { DurableEvent } from '@svc/contract/events';
import { bigint, json, pgTable, primaryKey, text, timestamp, uuid } from '../database/drizzle.ts';

export const events = pgTable(
  'events',
  {
    conversationId: uuid('conversation_id').notNull(),
    sequence: bigint({ mode: 'number' }).notNull(),
    workspaceId: uuid('workspace_id').notNull(),
    turnId: uuid('turn_id'),
    type: text().$type<DurableEvent['type']>().notNull(),
    data: json().$type<DurableEvent['data']>().notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.conversationId, table.sequence] })],
);
