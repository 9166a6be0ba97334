import type { Queryable, Transaction } from '../database/database.ts';
import { and, asc, eq, getTableColumns, sql } from '../database/drizzle.ts';
import { type ListCursor, listPage, rowBytes } from '../database/list-page.ts';
import { legalHolds } from './legal-holds.tables.ts';

export type HoldRow = typeof legalHolds.$inferSelect;

/** A key is known by its name, and never deleted. */
const actorName = sql<string | null>`coalesce(${legalHolds.actorName},
  (select k.name from account_keys k where k.id = ${legalHolds.actorId} and k.workspace_id = ${legalHolds.workspaceId}))`;

export const holdStore = {
  /** Oldest first. */
  listPage(query: Queryable, workspaceId: string, after: ListCursor | undefined) {
    const { page, isOnPage, part } = listPage(legalHolds, {
      order: [legalHolds.id],
      filter: eq(legalHolds.workspaceId, workspaceId),
      after,
      bytes: rowBytes([legalHolds.reason, legalHolds.externalUserId], []),
    });
    return query
      .select({ ...getTableColumns(legalHolds), actorName, ...part })
      .from(legalHolds)
      .innerJoin(page, isOnPage)
      .orderBy(asc(legalHolds.id));
  },

  async find(query: Queryable, workspaceId: string, id: string): Promise<HoldRow | undefined> {
    const rows = await query
      .select({ ...getTableColumns(legalHolds), actorName })
      .from(legalHolds)
      .where(and(eq(legalHolds.id, id), eq(legalHolds.workspaceId, workspaceId)));
    return rows[0];
  },

  async insert(tx: Transaction, workspaceId: string, hold: Omit<HoldRow, 'workspaceId'>): Promise<void> {
    await tx.insert(legalHolds).values({ ...hold, workspaceId });
  },

  async delete(tx: Transaction, workspaceId: string, id: string): Promise<HoldRow | undefined> {
    const rows = await tx
      .delete(legalHolds)
      .where(and(eq(legalHolds.id, id), eq(legalHolds.workspaceId, workspaceId)))
      .returning();
    return rows[0];
  },

  async hasConversation(tx: Transaction, workspaceId: string, id: string): Promise<boolean> {
    const { rows } = await tx.execute(
      sql`select from conversations where id = ${id} and workspace_id = ${workspaceId}`,
    );
    return rows.length > 0;
  },

  /** One that keeps this conversation. */
  async findOfConversation(query: Queryable, workspaceId: string, conversationId: string) {
    const { rows } = await query.execute<{ id: string }>(sql`
      select h.id from legal_holds h where h.workspace_id = ${workspaceId} and (
        h.conversation_id = ${conversationId}
        or h.external_user_id = (select c.external_user_id from conversations c where c.id = ${conversationId} and c.workspace_id = ${workspaceId})
        or (h.conversation_id is null and h.external_user_id is null))
      order by h.id limit 1`);
    return rows[0]?.id;
  },

  /** One that keeps this person, or any of their conversations. */
  async findOfPerson(query: Queryable, workspaceId: string, externalUserId: string) {
    const { rows } = await query.execute<{ id: string }>(sql`
      select h.id from legal_holds h where h.workspace_id = ${workspaceId} and (
        h.external_user_id = ${externalUserId}
        or (h.conversation_id is null and h.external_user_id is null)
        or h.conversation_id in (select c.id from conversations c where c.workspace_id = ${workspaceId}
          and c.id = h.conversation_id and c.external_user_id = ${externalUserId}))
      order by h.id limit 1`);
    return rows[0]?.id;
  },
};
