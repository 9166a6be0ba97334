import type { Queryable, Transaction } from '../../database/database.ts';
import { and, asc, eq, gt, sql } from '../../database/drizzle.ts';
import { isInForce } from '../branches/branches.store.ts';
import { conversationNotes, messages, traceSteps } from '../conversations.tables.ts';

export const truncationStore = {
  async findFirstUserMessage(query: Queryable, workspaceId: string, conversationId: string) {
    const rows = await query
      .select({ sequence: messages.sequence, content: messages.content })
      .from(messages)
      .where(
        and(
          eq(messages.conversationId, conversationId),
          eq(messages.workspaceId, workspaceId),
          eq(messages.role, 'user'),
          isInForce,
        ),
      )
      .orderBy(asc(messages.sequence))
      .limit(1);
    return rows[0];
  },

  /** Removes everything after an event and returns the removed messages. */
  async removeAfter(tx: Transaction, workspaceId: string, conversationId: string, sequence: number) {
    const removed = await tx
      .delete(messages)
      .where(
        and(
          eq(messages.conversationId, conversationId),
          eq(messages.workspaceId, workspaceId),
          gt(messages.sequence, sequence),
          isInForce,
        ),
      )
      .returning({ turnId: messages.turnId, toolCalls: messages.toolCalls });
    await tx.delete(traceSteps).where(
      and(
        eq(traceSteps.conversationId, conversationId),
        eq(traceSteps.workspaceId, workspaceId),
        gt(traceSteps.sequence, sequence),
        // Branches that begin earlier keep theirs.
        sql`${traceSteps.turnId} not in (select turn_id from messages
            where conversation_id = ${conversationId} and branch_id is not null and turn_id is not null)`,
      ),
    );
    return removed;
  },

  /** The reasons that a bot gave for asking for a person, after a time. */
  async removeReasons(tx: Transaction, workspaceId: string, conversationId: string, after: Date) {
    await tx
      .delete(conversationNotes)
      .where(
        and(
          eq(conversationNotes.conversationId, conversationId),
          eq(conversationNotes.workspaceId, workspaceId),
          eq(conversationNotes.kind, 'handed_off'),
          gt(conversationNotes.createdAt, after),
        ),
      );
  },
};
