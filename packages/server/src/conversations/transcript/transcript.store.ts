import type { Transaction } from '../../database/database.ts';
import { and, eq } from '../../database/drizzle.ts';
import { messages } from '../conversations.tables.ts';
import type { NewMessage } from '../message.ts';
import { lastCited } from './last-cited.ts';

type MessageRow = typeof messages.$inferSelect;

interface MessagePosition {
  conversationId: string;
  sequence: number;
}

export const transcriptStore = {
  /** A message that belongs to no turn. */
  async insert(tx: Transaction, workspaceId: string, position: MessagePosition, message: NewMessage) {
    await tx.insert(messages).values({ ...message, ...position, workspaceId, turnId: null });
  },

  /** The message with its new text and the citations that are left; undefined if it is gone. */
  async cut(
    tx: Transaction,
    workspaceId: string,
    conversationId: string,
    message: { id: string; content: string },
  ): Promise<MessageRow | undefined> {
    const position = and(
      eq(messages.id, message.id),
      eq(messages.conversationId, conversationId),
      eq(messages.workspaceId, workspaceId),
    );
    const [before] = await tx.select({ citations: messages.citations }).from(messages).where(position);
    if (!before) return undefined;
    const citations = before.citations.slice(0, lastCited(message.content));
    const rows = await tx
      .update(messages)
      .set({ content: message.content, interrupted: true, citations })
      .where(position)
      .returning();
    return rows[0];
  },
};
