import type { AuditQuery } from '@svc/contract/audit';
import type { Queryable, Transaction } from '../database/database.ts';
import { and, desc, eq, lt, sql } from '../database/drizzle.ts';
import { auditEntries as entries } from './audit.tables.ts';

export type AuditRow = typeof entries.$inferSelect;
export type NewAuditEntry = Omit<AuditRow, 'workspaceId' | 'createdAt'>;

/** A key is known by its name, and never deleted. */
const actorName = sql<string | null>`coalesce(${entries.actorName},
  (select k.name from account_keys k where k.id = ${entries.actorId} and k.workspace_id = ${entries.workspaceId}))`;

/** PostgreSQL's notifications that the command `svc` has changed something. The payload is the workspace's id. */
export const commandChannel = 'svc_changed_by_command';

export const auditStore = {
  async insert(tx: Transaction, workspaceId: string, entry: NewAuditEntry): Promise<void> {
    await tx.insert(entries).values({ ...entry, workspaceId });
  },

  /** Of an execution whose outcome is known now. */
  async setChanges(query: Queryable, workspaceId: string, id: string, changes: AuditRow['changes']) {
    await query
      .update(entries)
      .set({ changes })
      .where(and(eq(entries.workspaceId, workspaceId), eq(entries.id, id)));
  },

  /** Every node hears it when the transaction commits. */
  async notifyOfCommand(tx: Transaction, workspaceId: string): Promise<void> {
    await tx.execute(sql`select pg_notify(${commandChannel}, ${workspaceId})`);
  },

  /** Newest first, by id, because ids are ordered by time. */
  list(
    query: Queryable,
    workspaceId: string,
    { actor, action, object, before, limit }: AuditQuery & { limit: number },
  ): Promise<AuditRow[]> {
    const ofAction = action?.includes('.')
      ? sql`${entries.action} = ${action}`
      : action && eq(entries.objectType, action);
    return query
      .select({
        id: entries.id,
        workspaceId: entries.workspaceId,
        createdAt: entries.createdAt,
        actorType: entries.actorType,
        actorId: entries.actorId,
        actorName,
        action: entries.action,
        objectType: entries.objectType,
        objectId: entries.objectId,
        objectName: entries.objectName,
        changes: entries.changes,
      })
      .from(entries)
      .where(
        and(
          eq(entries.workspaceId, workspaceId),
          actor === undefined ? undefined : eq(entries.actorId, actor),
          ofAction || undefined,
          object === undefined ? undefined : eq(entries.objectId, object),
          before === undefined ? undefined : lt(entries.id, before),
        ),
      )
      .orderBy(desc(entries.id))
      .limit(limit);
  },
};
