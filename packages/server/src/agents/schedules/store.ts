import { and, desc, eq, lt, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../database/database.ts';
import { scheduleSlots } from './tables.ts';

export type SlotRow = typeof scheduleSlots.$inferSelect;
export type NewSlot = Omit<SlotRow, 'workspaceId' | 'botId'>;

export const slotStore = {
  /** Newest first. */
  list(query: Queryable, workspaceId: string, botId: string): Promise<SlotRow[]> {
    return query
      .select()
      .from(scheduleSlots)
      .where(ofBot(workspaceId, botId))
      .orderBy(desc(scheduleSlots.slotAt));
  },

  /** Puts slots on record and forgets the oldest beyond those that are kept. A slot that is on record already throws. */
  async insert(
    tx: Transaction,
    workspaceId: string,
    botId: string,
    slots: NewSlot[],
    kept: number,
  ): Promise<void> {
    await tx.insert(scheduleSlots).values(slots.map((slot) => ({ ...slot, workspaceId, botId })));
    const oldestKept = tx
      .select({ slotAt: scheduleSlots.slotAt })
      .from(scheduleSlots)
      .where(ofBot(workspaceId, botId))
      .orderBy(desc(scheduleSlots.slotAt))
      .offset(kept - 1)
      .limit(1);
    await tx
      .delete(scheduleSlots)
      .where(and(ofBot(workspaceId, botId), lt(scheduleSlots.slotAt, sql`(${oldestKept})`)));
  },
};

function ofBot(workspaceId: string, botId: string) {
  return and(eq(scheduleSlots.botId, botId), eq(scheduleSlots.workspaceId, workspaceId));
}
