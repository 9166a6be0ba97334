import type { Queryable } from '../../database/database.ts';
import { and, asc, desc, eq, gte, ne, sql } from '../../database/drizzle.ts';
import { isInForce } from '../branches/branches.store.ts';
import type { MessageRow } from '../conversations.store.ts';
import { messages } from '../conversations.tables.ts';

export const endUserViewStore = {
  /**
   * The newest messages that hold a text and are not results of tools, oldest first: at most so many, and no more of them once they
   * have so many characters.
   */
  async listNewestTexts(
    query: Queryable,
    workspaceId: string,
    conversationId: string,
    { limit, characters }: { limit: number; characters: number },
  ): Promise<MessageRow[]> {
    const isText = and(
      eq(messages.conversationId, conversationId),
      eq(messages.workspaceId, workspaceId),
      ne(messages.role, 'tool'),
      ne(messages.content, ''),
      isInForce,
    );
    const newest = await query
      .select({ sequence: messages.sequence, length: sql<number>`length(${messages.content})` })
      .from(messages)
      .where(isText)
      .orderBy(desc(messages.sequence))
      .limit(limit);
    let left = characters;
    const first = newest.find(({ length }) => (left -= length) <= 0) ?? newest.at(-1);
    if (!first) return [];
    return query
      .select()
      .from(messages)
      .where(and(isText, gte(messages.sequence, first.sequence)))
      .orderBy(asc(messages.sequence));
  },
};
