import type { Queryable } from '../../database/database.ts';
import { and, asc, eq, gt } from '../../database/drizzle.ts';
import { isInForce } from '../branches/branches.store.ts';
import { messages } from '../conversations.tables.ts';

export const reviewStore = {
  /** Of every message, also of those that are put aside; null if it belongs to no turn. */
  listTurnIds(query: Queryable, workspaceId: string, conversationId: string) {
    return query
      .select({ id: messages.id, turnId: messages.turnId })
      .from(messages)
      .where(and(eq(messages.conversationId, conversationId), eq(messages.workspaceId, workspaceId)));
  },

  /** The calls of each message after an event. */
  async listCallsAfter(query: Queryable, workspaceId: string, conversationId: string, sequence: number) {
    const rows = await query
      .select({ toolCalls: messages.toolCalls })
      .from(messages)
      .where(
        and(
          eq(messages.conversationId, conversationId),
          eq(messages.workspaceId, workspaceId),
          gt(messages.sequence, sequence),
          isInForce,
        ),
      )
      .orderBy(asc(messages.sequence));
    return rows.map(({ toolCalls }) => toolCalls);
  },
};
