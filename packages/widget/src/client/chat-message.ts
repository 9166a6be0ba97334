import type { EndUserMessage } from '@svc/contract/end-users';
import type { ChatMessage } from './chat-state.ts';

/** A message that the service has not stored. */
export function newMessage(
  id: string,
  from: ChatMessage['from'],
  text: string,
  state: ChatMessage['state'],
  createdAt = new Date().toISOString(),
): ChatMessage {
  return { id, from, text, state, citations: [], author: null, createdAt };
}

const authors = { user: 'visitor', assistant: 'bot', operator: 'person' } as const;

export function toChatMessage(message: EndUserMessage): ChatMessage {
  return {
    id: message.id,
    storedId: message.id,
    rating: message.rating,
    from: authors[message.role],
    text: message.content,
    state: message.interrupted ? 'interrupted' : 'done',
    citations: message.citations.map(({ title, source_url: sourceUrl, quote }) => ({
      title,
      sourceUrl,
      quote,
    })),
    attachments: message.attachments,
    author: message.author_name,
    createdAt: message.created_at,
  };
}
