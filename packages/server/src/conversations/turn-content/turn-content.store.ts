import type { Queryable } from '../../database/database.ts';
import { and, asc, desc, eq, sql } from '../../database/drizzle.ts';
import { messages, type ToolCallStatus, toolCalls } from '../conversations.tables.ts';

type MessageRow = typeof messages.$inferSelect;

/** The result of a call. */
export interface ToolOutcome {
  name: string;
  status: ToolCallStatus;
  /** The result as the model was sent it. */
  content: string;
}

/** One turn of one conversation. */
export interface TurnRef {
  conversationId: string;
  turnId: string;
}

export const turnContentStore = {
  listMessages(query: Queryable, workspaceId: string, turn: TurnRef): Promise<MessageRow[]> {
    return query
      .select()
      .from(messages)
      .where(
        and(
          eq(messages.conversationId, turn.conversationId),
          eq(messages.workspaceId, workspaceId),
          eq(messages.turnId, turn.turnId),
        ),
      )
      .orderBy(asc(messages.sequence));
  },

  /** The turn's last message from its user. */
  async findLastUserMessage(query: Queryable, workspaceId: string, turn: TurnRef) {
    const rows = await query
      .select({ content: messages.content })
      .from(messages)
      .where(
        and(
          eq(messages.conversationId, turn.conversationId),
          eq(messages.workspaceId, workspaceId),
          eq(messages.turnId, turn.turnId),
          eq(messages.role, 'user'),
        ),
      )
      .orderBy(desc(messages.sequence))
      .limit(1);
    return rows[0]?.content;
  },

  listToolOutcomes(query: Queryable, workspaceId: string, turn: TurnRef): Promise<ToolOutcome[]> {
    const answers = and(
      eq(messages.conversationId, toolCalls.conversationId),
      sql`${messages.toolCallId} = ${toolCalls.id}::text`,
    );
    return query
      .select({ name: toolCalls.name, status: toolCalls.status, content: messages.content })
      .from(toolCalls)
      .innerJoin(messages, answers)
      .where(
        and(
          eq(toolCalls.turnId, turn.turnId),
          eq(toolCalls.conversationId, turn.conversationId),
          eq(toolCalls.workspaceId, workspaceId),
        ),
      )
      .orderBy(asc(messages.sequence));
  },
};
