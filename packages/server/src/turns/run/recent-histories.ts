import { LRUCache } from 'lru-cache';
import type { ConversationRow } from '../../conversations/conversations.service.ts';
import { beginsTurn, type History, type PlacedMessage } from '../state.ts';

type Known = Pick<ConversationRow, 'id' | 'lastSequence' | 'operatorSequence' | 'summary' | 'summaryThrough'>;

export type RecentHistories = ReturnType<typeof createRecentHistories>;

const maxCharacters = 4_000_000;
/** Short conversations hardly count by their characters, so their number is limited too. */
const maxConversations = 1_000;

/**
 * The histories of recent conversations, so that the next message on this node does not read them again: that is most of what a
 * message costs in a long conversation.
 */
export function createRecentHistories(
  limits = { characters: maxCharacters, conversations: maxConversations },
  /** Called with whether each history that was wanted is known. */
  onLookup: (isHit: boolean) => void = () => undefined,
) {
  const histories = new LRUCache<string, readonly PlacedMessage[]>({
    max: limits.conversations,
    maxSize: limits.characters,
    sizeCalculation: countCharacters,
  });

  function recall({
    id,
    lastSequence,
    operatorSequence,
    summary,
    summaryThrough,
  }: Known): History | undefined {
    const messages = histories.get(id);
    // The last message and the end of its turn are the last two events; any later event means that the history is outdated.
    if (messages?.at(-1)?.sequence !== lastSequence - 1) return undefined;
    if (isMissing(operatorSequence, messages)) return undefined;
    return { summary, messages: messages.filter(({ sequence }) => sequence > summaryThrough) };
  }

  return {
    /** The history of a conversation, if nothing happened in it since it was kept here. */
    recall(known: Known): History | undefined {
      const history = recall(known);
      onLookup(history !== undefined);
      return history;
    },

    /** After a turn was completed. */
    keep(conversationId: string, messages: readonly PlacedMessage[]): void {
      histories.set(conversationId, messages);
    },

    /** After the conversation was deleted. */
    forget(conversationId: string): void {
      histories.delete(conversationId);
    },
  };
}

/** At least 1: the cache refuses a size of 0. */
function countCharacters(messages: readonly PlacedMessage[]): number {
  return messages.reduce((sum, { content }) => sum + content.length, 0) || 1;
}

/** Whether a person's message of the latest turn is not among these; earlier ones were read with the turn. */
function isMissing(sequence: number, messages: readonly PlacedMessage[]): boolean {
  const begun = messages.findLast(beginsTurn)?.sequence ?? 0;
  return sequence > begun && !messages.some((message) => message.sequence === sequence);
}
