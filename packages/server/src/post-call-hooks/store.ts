import type { Queryable, Transaction } from '../database/database.ts';
import { and, asc, eq, getTableColumns, sql } from '../database/drizzle.ts';
import { type ListPlace, listPage, type PagePart, rowBytes } from '../database/list-page.ts';
import { postCallHooks } from './tables.ts';

/** At most one hook per bot and tool. */
export const onePerTool = 'post_call_hooks_one_per_tool';

export type HookRow = typeof postCallHooks.$inferSelect;
export type NewHook = Omit<typeof postCallHooks.$inferInsert, 'workspaceId'>;
export type HookChange = Partial<
  Pick<HookRow, 'toolConfigurationId' | 'runOrder' | 'enabled' | 'paramsTemplate'>
>;

/** A hook is found only under its own bot. */
export interface HookPlace {
  botId: string;
  hookId: string;
}

export const hookStore = {
  /** In the order in which they run. */
  listPage(
    query: Queryable,
    workspaceId: string,
    botId: string,
    after: ListPlace | undefined,
  ): Promise<(HookRow & PagePart)[]> {
    const { runOrder, createdAt, id, paramsTemplate } = postCallHooks;
    const { page, isOnPage, part } = listPage(postCallHooks, {
      order: [runOrder, createdAt, id],
      filter: and(eq(postCallHooks.workspaceId, workspaceId), eq(postCallHooks.botId, botId)),
      after,
      bytes: rowBytes([], [paramsTemplate]),
    });
    return query
      .select({ ...getTableColumns(postCallHooks), ...part })
      .from(postCallHooks)
      .innerJoin(page, isOnPage)
      .orderBy(asc(runOrder), asc(createdAt), asc(id));
  },

  async insert(tx: Transaction, workspaceId: string, hook: NewHook): Promise<void> {
    await tx.insert(postCallHooks).values({ ...hook, workspaceId });
  },

  /** False when there is no such hook. */
  async update(tx: Transaction, workspaceId: string, place: HookPlace, change: HookChange): Promise<boolean> {
    const rows = await tx
      .update(postCallHooks)
      .set({ ...change, updatedAt: sql`now()` })
      .where(at(workspaceId, place))
      .returning({ id: postCallHooks.id });
    return rows.length > 0;
  },

  /** False when there is no such hook. */
  async delete(query: Queryable, workspaceId: string, place: HookPlace): Promise<boolean> {
    const rows = await query
      .delete(postCallHooks)
      .where(at(workspaceId, place))
      .returning({ id: postCallHooks.id });
    return rows.length > 0;
  },
};

function at(workspaceId: string, { botId, hookId }: HookPlace) {
  return and(
    eq(postCallHooks.id, hookId),
    eq(postCallHooks.botId, botId),
    eq(postCallHooks.workspaceId, workspaceId),
  );
}
