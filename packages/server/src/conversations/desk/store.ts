import type { Transaction } from '../../database/database.ts';
import { and, eq, sql } from '../../database/drizzle.ts';
import type { NewMessage } from '../message.ts';
import { conversations, messages } from '../tables.ts';

export type ConversationChange = Partial<
  Pick<
    typeof conversations.$inferSelect,
    'title' | 'metadata' | 'handoffRequestedAt' | 'handoffReason' | 'operatorSequence'
  >
>;

/** Told to every node when somebody acted in a conversation. The payload is the node on which it was, and the conversation. */
export const deskChannel = 'svc_conversation_desk';

/** What people change in conversations. */
export const deskStore = {
  async change(
    tx: Transaction,
    workspaceId: string,
    conversationId: string,
    change: ConversationChange,
  ): Promise<void> {
    await tx
      .update(conversations)
      .set({ ...change, updatedAt: sql`now()` })
      .where(and(eq(conversations.id, conversationId), eq(conversations.workspaceId, workspaceId)));
  },

  /** Readers on other nodes hear of it with the commit. */
  async announce(
    tx: Transaction,
    workspaceId: string,
    conversationId: string,
    nodeId: string,
  ): Promise<void> {
    const told = sql`pg_notify(${deskChannel}, ${nodeId} || ' ' || ${conversations.id})`;
    await tx
      .select({ told })
      .from(conversations)
      .where(and(eq(conversations.id, conversationId), eq(conversations.workspaceId, workspaceId)));
  },

  /** Of no turn. */
  async insertMessage(
    tx: Transaction,
    workspaceId: string,
    place: { conversationId: string; sequence: number },
    message: NewMessage,
  ): Promise<void> {
    await tx.insert(messages).values({ ...message, ...place, workspaceId, turnId: null });
  },
};
