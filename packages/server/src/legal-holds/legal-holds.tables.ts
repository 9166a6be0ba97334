import type { AuditActorType } from '@svc/contract/audit';
import { pgTable, text, timestamp, uuid } from '../database/drizzle.ts';

/** Without a person and a conversation, of the whole workspace. */
export const legalHolds = pgTable('legal_holds', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  externalUserId: text('external_user_id'),
  conversationId: uuid('conversation_id'),
  reason: text().notNull(),
  actorType: text('actor_type').$type<AuditActorType>().notNull(),
  actorId: uuid('actor_id'),
  actorName: text('actor_name'),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
});
