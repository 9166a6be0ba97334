import type { GrantOffer, GrantScope } from '@svc/contract/approval-grants';
import { integer, pgTable, text, timestamp, uuid } from '../../database/drizzle.ts';

export const approvalGrants = pgTable('approval_grants', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  /** Where it was given. */
  conversationId: uuid('conversation_id').notNull(),
  botId: uuid('bot_id').notNull(),
  machineId: uuid('machine_id').notNull(),
  scope: text().$type<GrantScope>().notNull(),
  kind: text().$type<GrantOffer['kind']>().notNull(),
  directory: text().notNull(),
  command: text(),
  /** The member or key that the turn acted for. */
  actsFor: uuid('acts_for'),
  /** The member who gave it, or the key. */
  memberId: uuid('member_id'),
  keyId: uuid('key_id'),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
});

/** For all calls of a function of a tool by one bot. */
export const toolGrants = pgTable('tool_grants', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  botId: uuid('bot_id').notNull(),
  toolId: uuid('tool_id').notNull(),
  /** Of the tool as it was. */
  revision: integer().notNull(),
  toolName: text('tool_name').notNull(),
  offer: text().notNull(),
  /** The member who gave it, or the key. */
  memberId: uuid('member_id'),
  keyId: uuid('key_id'),
  /** Null: until it is revoked. */
  expiresAt: timestamp('expires_at', { withTimezone: true }),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
});
