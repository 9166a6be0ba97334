import type { ConversationDetail } from '@svc/contract/conversations';
import type { Database } from '../../database/database.ts';
import { type EventTime, eventLog } from '../../events/event-log.ts';
import { notFound } from '../../lib/app-error.ts';
import { type CallRow, callStore } from '../calls/tool-calls.store.ts';
import type { ConversationRow, ConversationService } from '../conversations.service.ts';
import { conversationStore } from '../conversations.store.ts';
import type { StoredToolCall } from '../message.ts';
import { type MessagePlace, reviewStore } from './conversation-review.store.ts';

export type { EventTime } from '../../events/event-log.ts';
export type { CallRow } from '../calls/tool-calls.store.ts';

export interface ConversationReviewDependencies {
  database: Database;
  conversations: Pick<ConversationService, 'getRow' | 'get'>;
}

/** A conversation with what only its operators see. */
export interface ReviewedConversation {
  /** Read first: all the rest includes everything up to its last event. */
  row: ConversationRow;
  detail: ConversationDetail;
  /** By message. */
  places: ReadonlyMap<string, MessagePlace>;
  calls: CallRow[];
  times: EventTime[];
}

/** What a truncation would remove. */
export interface RemovableMessages {
  count: number;
  /** Calls of these messages that may have changed something outside. */
  effects: StoredToolCall[];
}

export type ConversationReview = ReturnType<typeof createConversationReview>;

/** Conversations as operators look back on them. */
export function createConversationReview({ database, conversations }: ConversationReviewDependencies) {
  return {
    async read(workspaceId: string, conversationId: string): Promise<ReviewedConversation> {
      const row = await conversations.getRow(workspaceId, conversationId);
      const [detail, places, calls, times] = await Promise.all([
        conversations.get(workspaceId, conversationId),
        reviewStore.listPlaces(database.within(workspaceId), workspaceId, conversationId),
        callStore.listOfConversation(database.within(workspaceId), workspaceId, conversationId),
        eventLog.listTimes(database.within(workspaceId), workspaceId, conversationId),
      ]);
      return { row, detail, places: new Map(places.map((one) => [one.id, one])), calls, times };
    },

    /** Throws NOT_FOUND unless the message is part of the conversation. */
    async findRemovable(
      workspaceId: string,
      conversationId: string,
      messageId: string,
    ): Promise<RemovableMessages> {
      const place = await conversationStore.findPlace(
        database.within(workspaceId),
        workspaceId,
        conversationId,
        messageId,
      );
      if (!place) throw notFound();
      const effective = await callStore.listEffective(
        database.within(workspaceId),
        workspaceId,
        conversationId,
      );
      const calls = await reviewStore.listCallsAfter(
        database.within(workspaceId),
        workspaceId,
        conversationId,
        place.sequence,
      );
      return { count: calls.length, effects: calls.flat().filter(({ id }) => effective.has(id)) };
    },
  };
}
