import type { AuditAction, AuditActorType } from '@svc/contract/audit';
import { json, pgTable, text, timestamp, uuid } from '../database/drizzle.ts';
import type { AuditChange } from './audit-changes.ts';

export const auditEntries = pgTable('audit_entries', {
  id: uuid().primaryKey(),
  workspaceId: uuid('workspace_id').notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  actorType: text('actor_type').$type<AuditActorType>().notNull(),
  actorId: uuid('actor_id'),
  actorName: text('actor_name'),
  action: text().$type<AuditAction>().notNull(),
  objectType: text('object_type').notNull(),
  objectId: text('object_id'),
  objectName: text('object_name'),
  changes: json().$type<AuditChange[]>().notNull(),
});
