import type { Queryable, Transaction } from '../../database/database.ts';
import { and, asc, eq, getTableColumns, inArray, lt, sql } from '../../database/drizzle.ts';
import { type ListCursor, listPage, rowBytes } from '../../database/list-page.ts';
import { giverNameOf, mayGiverApprove } from './approval-grants.store.ts';
import { toolGrants } from './approval-grants.tables.ts';

export type ToolGrantRow = typeof toolGrants.$inferSelect;
export type NamedToolGrant = ToolGrantRow & { botName: string; creatorName: string | null };

/** Its time is not over, its tool does what it did, and whoever gave it may still approve. */
const isValid = and(
  sql`(${toolGrants.expiresAt} is null or ${toolGrants.expiresAt} > now())`,
  sql`exists (select from tools where tools.workspace_id = ${toolGrants.workspaceId}
    and tools.id = ${toolGrants.toolId} and tools.revision = ${toolGrants.revision})`,
  mayGiverApprove(toolGrants),
);

export const toolGrantStore = {
  /** Also removes those of the bot whose time is over. */
  async insert(tx: Transaction, workspaceId: string, row: Omit<ToolGrantRow, 'workspaceId'>): Promise<void> {
    const isOver = lt(toolGrants.expiresAt, sql`now()`);
    await tx
      .delete(toolGrants)
      .where(and(eq(toolGrants.workspaceId, workspaceId), eq(toolGrants.botId, row.botId), isOver));
    await tx.insert(toolGrants).values({ ...row, workspaceId });
  },

  /** Those that count for calls of these tools by the bot, whoever they are for. */
  listFor(
    query: Queryable,
    workspaceId: string,
    botId: string,
    toolIds: readonly string[],
  ): Promise<ToolGrantRow[]> {
    return query
      .select()
      .from(toolGrants)
      .where(
        and(
          eq(toolGrants.workspaceId, workspaceId),
          eq(toolGrants.botId, botId),
          inArray(toolGrants.toolId, [...toolIds]),
          isValid,
        ),
      )
      .orderBy(asc(toolGrants.id));
  },

  /** Those that still count, oldest first. */
  listPage(query: Queryable, workspaceId: string, after: ListCursor | undefined) {
    const { page, isOnPage, part } = listPage(toolGrants, {
      order: [toolGrants.id],
      filter: and(eq(toolGrants.workspaceId, workspaceId), isValid),
      after,
      bytes: rowBytes([toolGrants.toolName], []),
    });
    return query
      .select({
        ...getTableColumns(toolGrants),
        botName: sql<string>`(select bots.name from bots where bots.id = ${toolGrants.botId})`,
        creatorName: giverNameOf(toolGrants),
        ...part,
      })
      .from(toolGrants)
      .innerJoin(page, isOnPage)
      .orderBy(asc(toolGrants.id));
  },

  async delete(tx: Transaction, workspaceId: string, id: string): Promise<ToolGrantRow | undefined> {
    const rows = await tx
      .delete(toolGrants)
      .where(and(eq(toolGrants.id, id), eq(toolGrants.workspaceId, workspaceId)))
      .returning();
    return rows[0];
  },
};
