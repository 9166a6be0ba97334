import type { Queryable, Transaction } from '../database/database.ts';
import { and, asc, eq, getTableColumns, sql } from '../database/drizzle.ts';
import { type ListCursor, listPage, rowBytes } from '../database/list-page.ts';
import { postCallHooks } from './post-call-hooks.tables.ts';

/** At most one hook per bot and tool. */
export const onePerTool = 'post_call_hooks_one_per_tool';

export type HookRow = typeof postCallHooks.$inferSelect;
export type NewHook = Omit<typeof postCallHooks.$inferInsert, 'workspaceId'>;
export type HookChange = Partial<
  Pick<HookRow, 'toolConfigurationId' | 'runOrder' | 'enabled' | 'paramsTemplate' | 'confirmedConfiguration'>
>;

/** A hook is found only under its own bot. */
export interface HookRef {
  botId: string;
  hookId: string;
}

export const hookStore = {
  /** In the order in which they run. */
  listPage(query: Queryable, workspaceId: string, botId: string, after: ListCursor | undefined) {
    const { runOrder, createdAt, id, paramsTemplate, confirmedConfiguration } = postCallHooks;
    const { page, isOnPage, part } = listPage(postCallHooks, {
      order: [runOrder, createdAt, id],
      filter: and(eq(postCallHooks.workspaceId, workspaceId), eq(postCallHooks.botId, botId)),
      after,
      bytes: rowBytes([], [paramsTemplate, confirmedConfiguration]),
    });
    return query
      .select({ ...getTableColumns(postCallHooks), ...part })
      .from(postCallHooks)
      .innerJoin(page, isOnPage)
      .orderBy(asc(runOrder), asc(createdAt), asc(id));
  },

  /** In the order in which they run. */
  listEnabled(query: Queryable, workspaceId: string, botId: string): Promise<HookRow[]> {
    const { runOrder, createdAt, id } = postCallHooks;
    return query
      .select()
      .from(postCallHooks)
      .where(isEnabledOf(workspaceId, botId))
      .orderBy(asc(runOrder), asc(createdAt), asc(id));
  },

  async countEnabled(query: Queryable, workspaceId: string, botId: string): Promise<number> {
    const rows = await query
      .select({ count: sql<number>`count(*)::int` })
      .from(postCallHooks)
      .where(isEnabledOf(workspaceId, botId));
    return rows[0]?.count ?? 0;
  },

  async insert(tx: Transaction, workspaceId: string, hook: NewHook): Promise<void> {
    await tx.insert(postCallHooks).values({ ...hook, workspaceId });
  },

  async find(query: Queryable, workspaceId: string, hookId: string): Promise<HookRow | undefined> {
    const { id, workspaceId: owner } = postCallHooks;
    const rows = await query
      .select()
      .from(postCallHooks)
      .where(and(eq(id, hookId), eq(owner, workspaceId)));
    return rows[0];
  },

  async lock(tx: Transaction, workspaceId: string, place: HookRef): Promise<HookRow | undefined> {
    return (await tx.select().from(postCallHooks).where(at(workspaceId, place)).for('update'))[0];
  },

  async update(tx: Transaction, workspaceId: string, place: HookRef, change: HookChange): Promise<void> {
    await tx
      .update(postCallHooks)
      .set({ ...change, updatedAt: sql`now()` })
      .where(at(workspaceId, place));
  },

  async delete(tx: Transaction, workspaceId: string, place: HookRef): Promise<void> {
    await tx.delete(postCallHooks).where(at(workspaceId, place));
  },
};

function isEnabledOf(workspaceId: string, botId: string) {
  return and(
    eq(postCallHooks.workspaceId, workspaceId),
    eq(postCallHooks.botId, botId),
    eq(postCallHooks.enabled, true),
  );
}

function at(workspaceId: string, { botId, hookId }: HookRef) {
  return and(
    eq(postCallHooks.id, hookId),
    eq(postCallHooks.botId, botId),
    eq(postCallHooks.workspaceId, workspaceId),
  );
}
