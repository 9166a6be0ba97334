import { bytea } from '../database/bytea.ts';
import { pgTable, primaryKey, timestamp, uuid } from '../database/drizzle.ts';

export const endUserRevocations = pgTable(
  'end_user_revocations',
  {
    workspaceId: uuid('workspace_id').notNull(),
    person: bytea().notNull(),
    revokedAt: timestamp('revoked_at', { withTimezone: true }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.person] })],
);
