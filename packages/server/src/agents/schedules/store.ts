import type { Queryable, Transaction } from '../../database/database.ts';
import { and, desc, eq, notInArray, sql } from '../../database/drizzle.ts';
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

  /**
   * Records slots and removes those farthest from now, which are the oldest unless a clock was wrong. Throws for a slot that
   * is recorded already.
   */
  async insert(
    tx: Transaction,
    workspaceId: string,
    botId: string,
    slots: NewSlot[],
    { now, kept }: { now: Date; kept: number },
  ): Promise<void> {
    await tx.insert(scheduleSlots).values(slots.map((slot) => ({ ...slot, workspaceId, botId })));
    const nearest = tx
      .select({ slotAt: scheduleSlots.slotAt })
      .from(scheduleSlots)
      .where(ofBot(workspaceId, botId))
      .orderBy(sql`abs(extract(epoch from ${scheduleSlots.slotAt} - ${now.toISOString()}::timestamptz))`)
      .limit(kept);
    await tx
      .delete(scheduleSlots)
      .where(and(ofBot(workspaceId, botId), notInArray(scheduleSlots.slotAt, nearest)));
  },
};

function ofBot(workspaceId: string, botId: string) {
  return and(eq(scheduleSlots.botId, botId), eq(scheduleSlots.workspaceId, workspaceId));
}
