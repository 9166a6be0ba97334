import type { Transaction } from '../../database/database.ts';
import { and, eq, sql } from '../../database/drizzle.ts';
import { conversations, messages } from '../conversations.tables.ts';
import type { NewMessage } from '../message.ts';

export type ConversationChange = Partial<
  Pick<
    typeof conversations.$inferSelect,
    'title' | 'metadata' | 'handoffRequestedAt' | 'handoffReason' | 'operatorSequence'
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
