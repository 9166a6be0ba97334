import type { ConversationRow } from '../../conversations/service.ts';
import { beginsTurn, type History, type PlacedMessage } from '../state.ts';

type Known = Pick<ConversationRow, 'id' | 'lastSequence' | 'operatorSequence' | 'summary' | 'summaryThrough'>;

export interface RecentHistories {
  /** What was said in a conversation, if nothing happened in it since it was kept here. */
  recall(row: Known): History | undefined;
  /** As a turn left them when it was completed. */
  keep(conversationId: string, messages: readonly PlacedMessage[]): void;
}

const mostCharacters = 4_000_000;
/** The number is bounded too, because short ones hardly count by their characters. */
const mostConversations = 1_000;

/**
 * Conversations that were lately spoken in: a message that follows on this node does not read them again. Which is most of
 * what a message costs in a long conversation.
 */
export function createRecentHistories(
  limits = { characters: mostCharacters, conversations: mostConversations },
): RecentHistories {
  const kept = new Map<string, { messages: readonly PlacedMessage[]; characters: number }>();
  let characters = 0;

  function forget(conversationId: string): void {
    characters -= kept.get(conversationId)?.characters ?? 0;
    kept.delete(conversationId);
  }

  return {
    recall({ id, lastSequence, operatorSequence, summary, summaryThrough }) {
      const messages = kept.get(id)?.messages;
      // The last message and the end of its turn were written together: any other event raised the number further.
      if (messages?.at(-1)?.sequence !== lastSequence - 1) return undefined;
      if (isMissing(operatorSequence, messages)) return undefined;
      return { summary, messages: messages.filter(({ sequence }) => sequence > summaryThrough) };
    },

    keep(conversationId, messages) {
      forget(conversationId);
      const size = messages.reduce((sum, { content }) => sum + content.length, 0);
      kept.set(conversationId, { messages, characters: size });
      characters += size;
      for (const oldest of kept.keys()) {
        if (characters <= limits.characters && kept.size <= limits.conversations) return;
        forget(oldest);
      }
    },
  };
}

/** What a person wrote during the latest turn may be unknown to it; what came before was read with the turn's own message. */
function isMissing(sequence: number, messages: readonly PlacedMessage[]): boolean {
  const begun = messages.findLast(beginsTurn)?.sequence ?? 0;
  return sequence > begun && !messages.some((message) => message.sequence === sequence);
}
