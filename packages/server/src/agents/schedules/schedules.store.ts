import type { Queryable, Transaction } from '../../database/database.ts';
import {
  and,
  desc,
  eq,
  getTableColumns,
  gte,
  lt,
  lte,
  ne,
  notInArray,
  or,
  sql,
} from '../../database/drizzle.ts';
import { scheduleSlots } from './schedules.tables.ts';

export type SlotRow = typeof scheduleSlots.$inferSelect;
/** Where the history of runs and slots continues. */
export interface SlotCursor {
  at: Date;
  key: string;
}

export interface PassedFilter {
  botId?: string;
  /** Only those that failed, or only those that were skipped. */
  hasFailed?: boolean;
  before?: SlotCursor;
  from?: Date;
  until?: Date;
}

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

  /** The newest slots of every agent. */
  async listNewest(query: Queryable, workspaceId: string, perAgent: number): Promise<SlotRow[]> {
    const ranked = query
      .select({
        ...getTableColumns(scheduleSlots),
        rank: sql<number>`row_number() over (partition by ${scheduleSlots.botId} order by ${scheduleSlots.slotAt} desc)`.as(
          'rank',
        ),
      })
      .from(scheduleSlots)
      .where(eq(scheduleSlots.workspaceId, workspaceId))
      .as('ranked');
    return query.select().from(ranked).where(lte(ranked.rank, perAgent)).orderBy(desc(ranked.slotAt));
  },

  /** Slots of which no run came, newest first. */
  listPassed(query: Queryable, workspaceId: string, filter: PassedFilter & { limit: number }) {
    const { botId, hasFailed, before, from, until, limit } = filter;
    const isFailed = hasFailed ? eq : ne;
    const isBefore =
      before &&
      and(
        lte(scheduleSlots.slotAt, before.at),
        or(
          lt(scheduleSlots.slotAt, before.at),
          sql`('slot:' || ${scheduleSlots.botId}) collate "C" < ${before.key}::text collate "C"`,
        ),
      );
    return query
      .select()
      .from(scheduleSlots)
      .where(
        and(
          eq(scheduleSlots.workspaceId, workspaceId),
          ne(scheduleSlots.outcome, 'fired'),
          hasFailed === undefined ? undefined : isFailed(scheduleSlots.outcome, 'failed'),
          botId === undefined ? undefined : eq(scheduleSlots.botId, botId),
          from && gte(scheduleSlots.slotAt, from),
          until && lt(scheduleSlots.slotAt, until),
          isBefore,
        ),
      )
      .orderBy(desc(scheduleSlots.slotAt), desc(scheduleSlots.botId))
      .limit(limit);
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
