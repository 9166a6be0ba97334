import type { Queryable, Transaction } from '../database/database.ts';
import { and, eq, lt, sql } from '../database/drizzle.ts';
import { endUserRevocations } from './end-users.tables.ts';

/** Every node listens here for people whose tokens must stop working. The payload is the workspace and the person's hash, in hex. */
export const endUserRevokedChannel = 'svc_end_user_revoked';

type Revocation = Pick<typeof endUserRevocations.$inferSelect, 'person' | 'revokedAt'>;

export const revocationStore = {
  /** Until the transaction ends, the person is neither revoked nor begins what must end with them. */
  async lock(tx: Transaction, workspaceId: string, person: Buffer): Promise<void> {
    const name = `end user ${workspaceId} ${person.toString('hex')}`;
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
  },

  /**
   * Later than every earlier time of the same person, whatever the clock says, and than what was begun before: rounded up, because
   * times are compared in milliseconds. Notifies every node.
   */
  async revoke(tx: Transaction, workspaceId: string, person: Buffer): Promise<void> {
    await revocationStore.lock(tx, workspaceId, person);
    const now = sql`date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond'`;
    const next = sql`greatest(${now}, ${endUserRevocations.revokedAt} + interval '1 millisecond')`;
    await tx
      .insert(endUserRevocations)
      .values({ workspaceId, person, revokedAt: now })
      .onConflictDoUpdate({
        target: [endUserRevocations.workspaceId, endUserRevocations.person],
        set: { revokedAt: next },
      });
    const payload = `${workspaceId} ${person.toString('hex')}`;
    await tx.execute(sql`select pg_notify(${endUserRevokedChannel}, ${payload})`);
  },

  async find(query: Queryable, workspaceId: string, person: Buffer): Promise<Date | undefined> {
    const rows = await query
      .select({ revokedAt: endUserRevocations.revokedAt })
      .from(endUserRevocations)
      .where(and(eq(endUserRevocations.workspaceId, workspaceId), eq(endUserRevocations.person, person)));
    return rows[0]?.revokedAt;
  },

  list(query: Queryable, workspaceId: string, limit: number): Promise<Revocation[]> {
    return query
      .select({ person: endUserRevocations.person, revokedAt: endUserRevocations.revokedAt })
      .from(endUserRevocations)
      .where(eq(endUserRevocations.workspaceId, workspaceId))
      .limit(limit);
  },

  async deleteOldAcrossWorkspaces(query: Queryable, before: Date): Promise<void> {
    await query.delete(endUserRevocations).where(lt(endUserRevocations.revokedAt, before));
  },
};
