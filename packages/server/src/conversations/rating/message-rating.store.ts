import type { Queryable, Transaction } from '../../database/database.ts';
import { and, eq } from '../../database/drizzle.ts';
import { isInForce } from '../branches/branches.store.ts';
import { messages } from '../conversations.tables.ts';
import type { Rated } from '../message.ts';

interface Place {
  workspaceId: string;
  conversationId: string;
  messageId: string;
}

export const messageRatingStore = {
  /** Undefined unless the message is in force. */
  async find(query: Queryable, { workspaceId, conversationId, messageId }: Place) {
    const rows = await query
      .select({
        role: messages.role,
        content: messages.content,
        rating: messages.rating,
        ratingComment: messages.ratingComment,
      })
      .from(messages)
      .where(
        and(
          eq(messages.id, messageId),
          eq(messages.conversationId, conversationId),
          eq(messages.workspaceId, workspaceId),
          isInForce,
        ),
      );
    return rows[0];
  },

  async change(tx: Transaction, { workspaceId, conversationId, messageId }: Place, rated: Rated) {
    await tx
      .update(messages)
      .set(rated)
      .where(
        and(
          eq(messages.id, messageId),
          eq(messages.conversationId, conversationId),
          eq(messages.workspaceId, workspaceId),
        ),
      );
  },
};
