import type { Transaction } from '../../database/database.ts';
import { and, eq } from '../../database/drizzle.ts';
import type { NewMessage } from '../message.ts';
import { messages } from '../tables.ts';

type MessageRow = typeof messages.$inferSelect;

interface Place {
  conversationId: string;
  sequence: number;
}

export const transcriptStore = {
  /** A message that belongs to no turn. */
  async insert(tx: Transaction, workspaceId: string, place: Place, message: NewMessage): Promise<void> {
    await tx.insert(messages).values({ ...message, ...place, workspaceId, turnId: null });
  },

  /** The message with its new text; undefined if it is gone. */
  async cut(
    tx: Transaction,
    workspaceId: string,
    conversationId: string,
    message: { id: string; content: string },
  ): Promise<MessageRow | undefined> {
    const rows = await tx
      .update(messages)
      .set({ content: message.content, interrupted: true, citations: [] })
      .where(
        and(
          eq(messages.id, message.id),
          eq(messages.conversationId, conversationId),
          eq(messages.workspaceId, workspaceId),
        ),
      )
      .returning();
    return rows[0];
  },
};
