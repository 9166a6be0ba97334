import type { Queryable, Transaction } from '../../database/database.ts';
import { and, asc, eq, inArray, sql } from '../../database/drizzle.ts';
import { conversations } from '../conversations.tables.ts';

/** PostgreSQL's notifications that conversations were erased. The payload is their ids, separated by spaces. */
export const erasedChannel = 'svc_conversations_erased';

/** The conversations of one user that began up to a moment. */
export interface UserConversations {
  externalUserId: string;
  /** In PostgreSQL's notation, so that no fraction of a second is lost. Null: there are none. */
  until: string | null;
}

export const erasureStore = {
  /** All that the user has at the moment. */
  async findAll(query: Queryable, workspaceId: string, externalUserId: string): Promise<UserConversations> {
    const rows = await query
      .select({ until: sql<string | null>`max(${conversations.createdAt})::text` })
      .from(conversations)
      .where(
        and(eq(conversations.workspaceId, workspaceId), eq(conversations.externalUserId, externalUserId)),
      );
    return { externalUserId, until: rows[0]?.until ?? null };
  },

  /** The oldest, whatever their status. */
  async listLeft(query: Queryable, workspaceId: string, wanted: UserConversations, limit: number) {
    const rows = await query
      .select({ id: conversations.id })
      .from(conversations)
      .where(isWanted(workspaceId, wanted))
      .orderBy(asc(conversations.id))
      .limit(limit);
    return rows.map(({ id }) => id);
  },

  /** Locks those without an open turn, so that none begins and nothing more is written. */
  async lockIdle(tx: Transaction, workspaceId: string, wanted: UserConversations, limit: number) {
    const rows = await tx
      .select({ id: conversations.id })
      .from(conversations)
      .where(and(isWanted(workspaceId, wanted), eq(conversations.status, 'idle')))
      .orderBy(asc(conversations.id))
      .limit(limit)
      .for('update');
    return rows.map(({ id }) => id);
  },

  /** The status of a conversation, locked until the transaction ends; undefined if there is none. */
  async lock(tx: Transaction, workspaceId: string, id: string) {
    const rows = await tx
      .select({ status: conversations.status })
      .from(conversations)
      .where(and(eq(conversations.workspaceId, workspaceId), eq(conversations.id, id)))
      .for('update');
    return rows[0]?.status;
  },

  /** Everything that belongs to a conversation refers to it and is deleted with it. */
  async delete(tx: Transaction, workspaceId: string, ids: readonly string[]): Promise<void> {
    await tx
      .delete(conversations)
      .where(and(eq(conversations.workspaceId, workspaceId), inArray(conversations.id, [...ids])));
    await tx.execute(sql`select pg_notify(${erasedChannel}, ${ids.join(' ')})`);
  },
};

function isWanted(workspaceId: string, { externalUserId, until }: UserConversations) {
  return and(
    eq(conversations.workspaceId, workspaceId),
    eq(conversations.externalUserId, externalUserId),
    sql`${conversations.createdAt} <= ${until}::timestamptz`,
  );
}
