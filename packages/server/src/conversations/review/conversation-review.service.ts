import type { ConversationDetail } from '@svc/contract/conversations';
import { eventLog } from '../../events/event-log.ts';
import { notFound } from '../../lib/app-error.ts';
import type { Services } from '../../services.ts';
import type { ConversationRow } from '../conversations.service.ts';
import { conversationStore } from '../conversations.store.ts';
import { type ToolCallRow, toolCallStore } from '../tool-calls/tool-calls.store.ts';
import { reviewStore } from './conversation-review.store.ts';

export type ConversationReviewDependencies = Pick<Services, 'conversations' | 'database'>;

/** A conversation with what only its operators see. */
export interface ReviewedConversation {
  /** Read first: all the rest includes everything up to its last event. */
  row: ConversationRow;
  detail: ConversationDetail;
  /** By message, also of those that are put aside. */
  turnIds: ReadonlyMap<string, string | null>;
  calls: ToolCallRow[];
  /** In milliseconds, by call. */
  durations: ReadonlyMap<string, number>;
}

export type ConversationReview = ReturnType<typeof createConversationReview>;

/** Conversations as operators look back on them. */
export function createConversationReview({ database, conversations }: ConversationReviewDependencies) {
  return {
    async read(
      workspaceId: string,
      conversationId: string,
      branchId?: string,
    ): Promise<ReviewedConversation> {
      const row = await conversations.getRow(workspaceId, conversationId);
      const [detail, turns, calls, durations] = await Promise.all([
        conversations.get(workspaceId, conversationId, { branchId }),
        reviewStore.listTurnIds(database.within(workspaceId), workspaceId, conversationId),
        toolCallStore.listOfConversation(database.within(workspaceId), workspaceId, conversationId),
        eventLog.listDurations(database.within(workspaceId), workspaceId, conversationId),
      ]);
      return {
        row,
        detail,
        turnIds: new Map(turns.map(({ id, turnId }) => [id, turnId])),
        calls,
        durations: new Map(durations.map(({ callId, durationMs }) => [callId, durationMs])),
      };
    },

    /**
     * What a truncation after the message would remove; `effects` are the calls that may have changed something outside. Throws
     * NOT_FOUND unless the message is part of the conversation.
     */
    async findRemovable(workspaceId: string, conversationId: string, messageId: string) {
      const within = database.within(workspaceId);
      const position = await conversationStore.findPosition(within, workspaceId, conversationId, messageId);
      if (!position) throw notFound();
      const { sequence } = position;
      const effective = await toolCallStore.listEffective(within, workspaceId, conversationId);
      const calls = await reviewStore.listCallsAfter(within, workspaceId, conversationId, sequence);
      return { count: calls.length, effects: calls.flat().filter(({ id }) => effective.has(id)) };
    },
  };
}
