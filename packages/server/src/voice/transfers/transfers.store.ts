import type { Queryable, Transaction } from '../../database/database.ts';
import { and, eq, inArray, lt, sql } from '../../database/drizzle.ts';
import { voiceTransfers } from './transfers.tables.ts';

export type TransferRow = typeof voiceTransfers.$inferSelect;
export type NewTransfer = Omit<typeof voiceTransfers.$inferInsert, 'workspaceId' | 'checkedAt'>;

export const transferStore = {
  /** Nothing if it is there already: an attempt whose answer was lost is repeated. */
  async insert(tx: Transaction, workspaceId: string, transfer: NewTransfer): Promise<void> {
    await tx
      .insert(voiceTransfers)
      .values({ ...transfer, workspaceId })
      .onConflictDoNothing();
  },

  async find(query: Queryable, workspaceId: string, callId: string): Promise<TransferRow | undefined> {
    return (await query.select().from(voiceTransfers).where(isTransfer(workspaceId, callId)))[0];
  },

  async lock(tx: Transaction, workspaceId: string, callId: string): Promise<TransferRow | undefined> {
    return (await tx.select().from(voiceTransfers).where(isTransfer(workspaceId, callId)).for('update'))[0];
  },

  async setCost(
    tx: Transaction,
    workspaceId: string,
    callId: string,
    cost: Pick<TransferRow, 'used' | 'costUsd'>,
  ): Promise<void> {
    await tx.update(voiceTransfers).set(cost).where(isTransfer(workspaceId, callId));
  },

  async delete(tx: Transaction, workspaceId: string, callId: string): Promise<boolean> {
    const deleted = await tx
      .delete(voiceTransfers)
      .where(isTransfer(workspaceId, callId))
      .returning({ callId: voiceTransfers.callId });
    return deleted.length > 0;
  },

  /** Those that no node has checked for so long; the caller of this function checks them now. */
  takeDueAcrossWorkspaces(query: Queryable, everySeconds: number, limit: number): Promise<TransferRow[]> {
    const isDue = lt(voiceTransfers.checkedAt, sql`now() - make_interval(secs => ${everySeconds})`);
    const due = query
      .select({ callId: voiceTransfers.callId })
      .from(voiceTransfers)
      .where(isDue)
      .limit(limit)
      .for('update', { skipLocked: true });
    return query
      .update(voiceTransfers)
      .set({ checkedAt: sql`now()` })
      .where(inArray(voiceTransfers.callId, due))
      .returning();
  },
};

function isTransfer(workspaceId: string, callId: string) {
  return and(eq(voiceTransfers.callId, callId), eq(voiceTransfers.workspaceId, workspaceId));
}
