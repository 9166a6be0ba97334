import { bytea } from '../database/bytea.ts';
import { pgTable, primaryKey, text, timestamp, uuid } from '../database/drizzle.ts';

export const idempotencyRecords = pgTable(
  'idempotency_records',
  {
    workspaceId: uuid('workspace_id').notNull(),
    key: text().notNull(),
    requestHash: bytea('request_hash').notNull(),
    nodeId: uuid('node_id').notNull(),
    answer: bytea(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.key] })],
);
