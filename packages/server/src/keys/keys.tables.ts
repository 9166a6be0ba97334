import { bytea } from '../database/bytea.ts';
import { pgTable, text, timestamp, uuid } from '../database/drizzle.ts';

export const accountKeys = pgTable('account_keys', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  name: text().notNull(),
  hash: bytea().notNull(),
  hint: text().notNull(),
  abilities: text().array().notNull(),
  expiresAt: timestamp('expires_at', { withTimezone: true }),
  revokedAt: timestamp('revoked_at', { withTimezone: true }),
  createdBy: uuid('created_by'),
  lastUsedAt: timestamp('last_used_at', { withTimezone: true }),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});
