import type { Queryable } from '../../database/database.ts';
import { and, asc, desc, eq, gt, inArray, isNotNull, sql } from '../../database/drizzle.ts';
import { isInForce } from '../branches/branches.store.ts';
import { messages, toolCalls } from '../conversations.tables.ts';

export type ToolCallRow = typeof toolCalls.$inferSelect;

/** The calls that models make in conversations. */
export const toolCallStore = {
  async count(query: Queryable, workspaceId: string, conversationId: string): Promise<number> {
    const rows = await query
      .select({ count: sql<number>`coalesce(sum(json_array_length(${messages.toolCalls})), 0)::int` })
      .from(messages)
      .where(
        and(eq(messages.conversationId, conversationId), eq(messages.workspaceId, workspaceId), isInForce),
      );
    return rows[0]?.count ?? 0;
  },

  /** In the order in which the model made them; message ids grow over time. */
  list(query: Queryable, workspaceId: string, turnId: string): Promise<ToolCallRow[]> {
    return query
      .select()
      .from(toolCalls)
      .where(and(eq(toolCalls.turnId, turnId), eq(toolCalls.workspaceId, workspaceId)))
      .orderBy(asc(toolCalls.messageId), asc(toolCalls.position));
  },

  /** Every call of a conversation, in the order in which the model made them. */
  listOfConversation(query: Queryable, workspaceId: string, conversationId: string): Promise<ToolCallRow[]> {
    return query
      .select()
      .from(toolCalls)
      .where(and(eq(toolCalls.conversationId, conversationId), eq(toolCalls.workspaceId, workspaceId)))
      .orderBy(asc(toolCalls.messageId), asc(toolCalls.position));
  },

  listUnfinished(query: Queryable, workspaceId: string, turnId: string): Promise<ToolCallRow[]> {
    return query
      .select()
      .from(toolCalls)
      .where(
        and(
          eq(toolCalls.turnId, turnId),
          eq(toolCalls.workspaceId, workspaceId),
          inArray(toolCalls.status, ['proposed', 'started']),
        ),
      )
      .orderBy(asc(toolCalls.position));
  },

  /** Calls whose results come after this event, the newest first. */
  listAfter(query: Queryable, workspaceId: string, conversationId: string, sequence: number) {
    const results = query
      .select({ callId: sql`${messages.toolCallId}::uuid` })
      .from(messages)
      .where(and(eq(messages.conversationId, conversationId), gt(messages.sequence, sequence), isInForce));
    return query
      .select()
      .from(toolCalls)
      .where(
        and(
          eq(toolCalls.conversationId, conversationId),
          eq(toolCalls.workspaceId, workspaceId),
          inArray(toolCalls.id, results),
        ),
      )
      .orderBy(desc(toolCalls.messageId), desc(toolCalls.position));
  },

  /** The arguments that really ran, by call id; only of calls that were started. */
  async listExecuted(query: Queryable, workspaceId: string, conversationId: string) {
    const rows = await query
      .select({ id: toolCalls.id, executed: toolCalls.executedArguments })
      .from(toolCalls)
      .where(and(eq(toolCalls.conversationId, conversationId), eq(toolCalls.workspaceId, workspaceId)));
    return new Map(rows.flatMap(({ id, executed }) => (executed ? [[id, executed] as const] : [])));
  },

  /** The ids of calls that were started and may have changed something outside. */
  async listEffective(query: Queryable, workspaceId: string, conversationId: string) {
    const rows = await query
      .select({ id: toolCalls.id })
      .from(toolCalls)
      .where(
        and(
          eq(toolCalls.conversationId, conversationId),
          eq(toolCalls.workspaceId, workspaceId),
          eq(toolCalls.hasEffects, true),
          isNotNull(toolCalls.startedAt),
        ),
      );
    return new Set(rows.map(({ id }) => id));
  },
};
