import { newMessage, toChatMessage } from './chat-message.ts';
import type { ChatMessage } from './chat-state.ts';
import type { UnsentMessage } from './saved-state.ts';
import type { VisitorConversation } from './visitor-chat-parts.ts';

/** A message that was written here. It is kept after it was stored, so that it is the same message for the views. */
export interface OutboxEntry extends UnsentMessage {
  state: 'sending' | 'failed' | 'done';
  /** Once it is stored: its id there, and the event with which it arrives. */
  messageId?: string | undefined;
  eventId?: number | undefined;
}

/**
 * The conversation's messages and then those that it does not have yet. Every message is there once. What is about to be replaced is
 * left out.
 */
export function mergeMessages(
  { conversation: { messages }, preview, lastEventId }: VisitorConversation,
  entries: readonly OutboxEntry[],
): readonly ChatMessage[] {
  const entryIds = new Map<string, string>();
  const unmatched = entries.filter((entry) => {
    const start = messages.findIndex(({ id }) => id === entry.after) + 1;
    const match = messages.find(({ id, role, content }, index) =>
      entry.messageId
        ? id === entry.messageId
        : entry.body &&
          index >= start &&
          role === 'user' &&
          content === entry.text &&
          id !== entry.replaces &&
          !entryIds.has(id),
    );
    if (match) entryIds.set(match.id, entry.id);
    return !match && !(entry.eventId && entry.eventId <= lastEventId);
  });
  const end = messages.findIndex(({ id }) =>
    unmatched.some(({ replaces, state }) => replaces === id && state !== 'failed'),
  );
  return [
    ...messages
      .slice(0, end < 0 ? undefined : end)
      .map((message) => ({ ...toChatMessage(message), id: entryIds.get(message.id) ?? message.id })),
    ...(preview ? [newMessage(preview.messageId, 'bot', preview.text, 'streaming')] : []),
    ...unmatched.map(({ id, text, state, createdAt, attachments }) => ({
      ...newMessage(id, 'visitor', text, state, createdAt),
      attachments,
    })),
  ];
}
