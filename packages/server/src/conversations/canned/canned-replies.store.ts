import type { Queryable, Transaction } from '../../database/database.ts';
import { and, asc, eq, getTableColumns, sql } from '../../database/drizzle.ts';
import { type ListCursor, listPage, rowBytes } from '../../database/list-page.ts';
import { cannedReplies } from '../conversations.tables.ts';

export type CannedReplyRow = typeof cannedReplies.$inferSelect;

const isOne = (workspaceId: string, id: string) =>
  and(eq(cannedReplies.workspaceId, workspaceId), eq(cannedReplies.id, id));

export const cannedReplyStore = {
  /** By shortcut. */
  listPage(query: Queryable, workspaceId: string, after: ListCursor | undefined) {
    const { page, isOnPage, part } = listPage(cannedReplies, {
      order: [cannedReplies.shortcut, cannedReplies.id],
      filter: eq(cannedReplies.workspaceId, workspaceId),
      after,
      bytes: rowBytes([cannedReplies.text], []),
    });
    return query
      .select({ ...getTableColumns(cannedReplies), ...part })
      .from(cannedReplies)
      .innerJoin(page, isOnPage)
      .orderBy(asc(cannedReplies.shortcut), asc(cannedReplies.id));
  },

  async count(query: Queryable, workspaceId: string): Promise<number> {
    const rows = await query
      .select({ count: sql<number>`count(*)::int` })
      .from(cannedReplies)
      .where(eq(cannedReplies.workspaceId, workspaceId));
    return rows[0]?.count ?? 0;
  },

  async lock(tx: Transaction, workspaceId: string, id: string): Promise<CannedReplyRow | undefined> {
    const rows = await tx.select().from(cannedReplies).where(isOne(workspaceId, id)).for('update');
    return rows[0];
  },

  /** False if the shortcut is taken. */
  async insert(
    tx: Transaction,
    workspaceId: string,
    reply: Omit<CannedReplyRow, 'workspaceId'>,
  ): Promise<boolean> {
    const rows = await tx
      .insert(cannedReplies)
      .values({ ...reply, workspaceId })
      .onConflictDoNothing()
      .returning({ id: cannedReplies.id });
    return rows.length > 0;
  },

  /** False if the shortcut is taken. */
  async update(
    tx: Transaction,
    workspaceId: string,
    { id, shortcut, text, updatedAt }: CannedReplyRow,
  ): Promise<boolean> {
    const isTaken = sql`exists (select from canned_replies other
      where other.workspace_id = ${workspaceId} and other.shortcut = ${shortcut} and other.id <> ${id})`;
    const rows = await tx
      .update(cannedReplies)
      .set({ shortcut, text, updatedAt })
      .where(and(isOne(workspaceId, id), sql`not ${isTaken}`))
      .returning({ id: cannedReplies.id });
    return rows.length > 0;
  },

  async delete(tx: Transaction, workspaceId: string, id: string): Promise<CannedReplyRow | undefined> {
    const rows = await tx.delete(cannedReplies).where(isOne(workspaceId, id)).returning();
    return rows[0];
  },
};
