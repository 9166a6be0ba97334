import type { Transaction } from '../../database/database.ts';
import { and, eq, sql } from '../../database/drizzle.ts';
import { conversations, messages } from '../conversations.tables.ts';
import type { NewMessage } from '../message.ts';

export type ConversationChange = Partial<
  Pick<
    typeof conversations.$inferSelect,
    | 'title'
    | 'metadata'
    | 'handoffRequestedAt'
    | 'handoffReason'
    | 'isTakenOver'
    | 'operatorSequence'
    | 'assigneeId'
    | 'resolvedAt'
    | 'snoozedUntil'
    | 'labels'
    | 'unreadMentions'
  >
>;

/** Changes that people make to conversations. */
export const deskStore = {
  async change(tx: Transaction, workspaceId: string, conversationId: string, change: ConversationChange) {
    await tx
      .update(conversations)
      .set({ ...change, updatedAt: sql`now()` })
      .where(and(eq(conversations.id, conversationId), eq(conversations.workspaceId, workspaceId)));
  },

  /** Whether a member may see to conversations. */
  async isAssignee(tx: Transaction, workspaceId: string, userId: string): Promise<boolean> {
    const { rows } = await tx.execute(sql`
      select from members m
      where m.workspace_id = ${workspaceId} and m.user_id = ${userId} and m.role in ('operator', 'owner')`);
    return rows.length > 0;
  },

  /** Those of these ids that are members. */
  async membersAmong(tx: Transaction, workspaceId: string, userIds: readonly string[]): Promise<Set<string>> {
    if (userIds.length === 0) return new Set();
    const { rows } = await tx.execute<{ id: string }>(sql`
      select m.user_id as id from members m
      where m.workspace_id = ${workspaceId} and m.user_id in (${sql.join([...userIds], sql`, `)})`);
    return new Set(rows.map(({ id }) => id));
  },

  /** Such a member, who stays one until the transaction ends. */
  async lockAssignee(tx: Transaction, workspaceId: string, userId: string) {
    const { rows } = await tx.execute<{ id: string; name: string }>(sql`
      select u.id, u.name from members m join users u on u.id = m.user_id
      where m.workspace_id = ${workspaceId} and m.user_id = ${userId} and m.role in ('operator', 'owner')
      for share of m`);
    return rows[0];
  },

  /** A message that belongs to no turn. */
  async insertMessage(
    tx: Transaction,
    workspaceId: string,
    place: { conversationId: string; sequence: number },
    message: NewMessage,
  ): Promise<void> {
    await tx.insert(messages).values({ ...message, ...place, workspaceId, turnId: null });
  },
};
