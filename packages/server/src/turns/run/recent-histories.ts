import { LRUCache } from 'lru-cache';
import type { ConversationRow } from '../../conversations/service.ts';
import { beginsTurn, type PlacedMessage, type TurnState } from '../state.ts';

type Known = Pick<ConversationRow, 'id' | 'lastSequence' | 'operatorSequence' | 'summary' | 'summaryThrough'>;

export interface RecentHistories {
  /** What was said in a conversation, if nothing happened in it since it was kept here. */
  recall(row: Known): Pick<TurnState, 'summary' | 'messages'> | undefined;
  /** As a turn left them when it was completed. */
  keep(conversationId: string, messages: readonly PlacedMessage[]): void;
}

const maxCharacters = 4_000_000;
/** The number is bounded too, because short ones hardly count by their characters. */
const maxConversations = 1_000;

/**
 * Conversations that were lately spoken in: a message that follows on this node does not read them again. Which is most of
 * what a message costs in a long conversation.
 */
export function createRecentHistories(
  limits = { characters: maxCharacters, conversations: maxConversations },
): RecentHistories {
  const histories = new LRUCache<string, readonly PlacedMessage[]>({
    max: limits.conversations,
    maxSize: limits.characters,
    sizeCalculation: countCharacters,
  });

  return {
    recall({ id, lastSequence, operatorSequence, summary, summaryThrough }) {
      const messages = histories.get(id);
      // The last message and the end of its turn were written together: any other event raised the number further.
      if (messages?.at(-1)?.sequence !== lastSequence - 1) return undefined;
      if (isMissing(operatorSequence, messages)) return undefined;
      return { summary, messages: messages.filter(({ sequence }) => sequence > summaryThrough) };
    },

    keep(conversationId, messages) {
      histories.set(conversationId, messages);
    },
  };
}

/** At least 1: the cache refuses a size of 0. */
function countCharacters(messages: readonly PlacedMessage[]): number {
  return messages.reduce((sum, { content }) => sum + content.length, 0) || 1;
}

/** What a person wrote during the latest turn may be unknown to it; what came before was read with the turn's own message. */
function isMissing(sequence: number, messages: readonly PlacedMessage[]): boolean {
  const begun = messages.findLast(beginsTurn)?.sequence ?? 0;
  return sequence > begun && !messages.some((message) => message.sequence === sequence);
}
