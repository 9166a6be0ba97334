import type { RateMessage } from '@svc/contract/chat';
import { type NewEvent, numbered } from '../../events/event.ts';
import { eventLog } from '../../events/event-log.ts';
import { invalid, notFound } from '../../lib/app-error.ts';
import type { Services } from '../../services.ts';
import type { WantedConversation } from '../conversations.service.ts';
import { conversationStore } from '../conversations.store.ts';
import { messageRatingStore } from './message-rating.store.ts';

export type MessageRatings = ReturnType<typeof createMessageRatings>;

/** What users think of the bot's answers. Only the latest rating of an answer counts. */
export function createMessageRatings({
  conversations,
  database,
  feed,
}: Pick<Services, 'conversations' | 'database' | 'feed'>) {
  return {
    /** A rating that is there already changes nothing. */
    async rate(
      workspaceId: string,
      wanted: WantedConversation,
      { messageId: given, rating, comment }: RateMessage & { messageId: string },
    ): Promise<void> {
      const { id: conversationId } = await conversations.getWanted(workspaceId, wanted);
      const messageId = given.toLowerCase();
      if (comment !== undefined && rating !== 'down')
        throw invalid('comment', 'can only be sent with the rating down');
      const place = { workspaceId, conversationId, messageId };
      const announced = await database.within(workspaceId).transaction(async (tx) => {
        if (!(await conversationStore.lock(tx, workspaceId, conversationId))) throw notFound();
        const message = await messageRatingStore.find(tx, place);
        if (!message) throw notFound();
        if (message.role !== 'assistant' || message.content === '')
          throw invalid('message_id', 'must be an answer of the bot');
        const known = message.rating === rating ? message.ratingComment : null;
        const ratingComment = comment === undefined ? known : comment.trim() || null;
        if (message.rating === rating && message.ratingComment === ratingComment) return [];
        await messageRatingStore.change(tx, place, { rating, ratingComment });
        // Without the comment, which would stay in the log after it was taken back.
        const events: NewEvent[] = [{ type: 'message.rated', data: { message_id: messageId, rating } }];
        const first = await eventLog.append(tx, { conversationId, turnId: null, events });
        return numbered(events, first, null);
      });
      if (announced.length > 0) feed.publish(conversationId, announced, workspaceId);
    },
  };
}
