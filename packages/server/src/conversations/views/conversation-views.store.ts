import type { Queryable, Transaction } from '../../database/database.ts';
import { and, asc, eq, sql } from '../../database/drizzle.ts';
import { conversationViews as views } from '../conversations.tables.ts';

export type ConversationViewRow = typeof views.$inferSelect;

export const conversationViewStore = {
  /** By name; there are few. */
  list(query: Queryable, workspaceId: string): Promise<ConversationViewRow[]> {
    return query.select().from(views).where(eq(views.workspaceId, workspaceId)).orderBy(asc(views.name));
  },

  async count(query: Queryable, workspaceId: string): Promise<number> {
    const rows = await query
      .select({ count: sql<number>`count(*)::int` })
      .from(views)
      .where(eq(views.workspaceId, workspaceId));
    return rows[0]?.count ?? 0;
  },

  /** False if the name is taken. */
  async insert(
    tx: Transaction,
    workspaceId: string,
    view: Omit<ConversationViewRow, 'workspaceId'>,
  ): Promise<boolean> {
    const rows = await tx
      .insert(views)
      .values({ ...view, workspaceId })
      .onConflictDoNothing()
      .returning({ id: views.id });
    return rows.length > 0;
  },

  async delete(tx: Transaction, workspaceId: string, id: string): Promise<ConversationViewRow | undefined> {
    const rows = await tx
      .delete(views)
      .where(and(eq(views.workspaceId, workspaceId), eq(views.id, id)))
      .returning();
    return rows[0];
  },
};
