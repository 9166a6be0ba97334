import type { ConversationNote } from '@svc/contract/conversations';
import type { Queryable, Transaction } from '../database/database.ts';
import { and, asc, eq } from '../database/drizzle.ts';
import { conversationNotes } from './conversations.tables.ts';

export type NewNote = Omit<typeof conversationNotes.$inferSelect, 'workspaceId' | 'conversationId'>;

/** Lines between the messages that only the team sees. */
export const noteStore = {
  /** Oldest first. */
  list(query: Queryable, workspaceId: string, conversationId: string) {
    return query
      .select()
      .from(conversationNotes)
      .where(
        and(
          eq(conversationNotes.conversationId, conversationId),
          eq(conversationNotes.workspaceId, workspaceId),
        ),
      )
      .orderBy(asc(conversationNotes.id));
  },

  async insert(tx: Transaction, workspaceId: string, conversationId: string, notes: NewNote[]) {
    await tx
      .insert(conversationNotes)
      .values(notes.map((note) => ({ ...note, workspaceId, conversationId })));
  },
};

export function toWireNote({
  id,
  kind,
  authorId,
  authorName,
  text,
  mentions,
  createdAt,
}: NewNote): ConversationNote {
  const author = { author_id: authorId, author_name: authorName };
  return { id, kind, ...author, text, mentions: mentions ?? [], created_at: createdAt.toISOString() };
}
