import type { EndUserDurableEvent, EndUserLiveEvent } from '@svc/contract/end-user-events';
import type { EndUserConversationDetail, EndUserMessage } from '@svc/contract/end-users';
import type { ChatMessage } from './chat-state.ts';

/** An event as visitors are sent it. Those without an id are previews. */
export type VisitorEvent = (EndUserDurableEvent | EndUserLiveEvent) & { id: number | undefined };

/** A conversation as the service has it, as far as its events have arrived. */
export interface Conversation {
  messages: readonly ChatMessage[];
  status: 'idle' | 'running' | 'paused';
  isHandedOff: boolean;
  /** The code of the error that ended the last turn. */
  failure: string | null;
  lastEvent: number;
}

export const emptyConversation: Conversation = {
  messages: [],
  status: 'idle',
  isHandedOff: false,
  failure: null,
  lastEvent: 0,
};

export function fromDetail(detail: EndUserConversationDetail): Conversation {
  return {
    messages: detail.messages.map(toChatMessage),
    status: detail.status,
    isHandedOff: detail.needs_human,
    failure: null,
    lastEvent: detail.last_event_id,
  };
}

/** The conversation after an event, or undefined if it has to be read again. */
export function applyEvent(conversation: Conversation, event: VisitorEvent): Conversation | undefined {
  const { id } = event;
  if (id === undefined) return change(conversation, event);
  if (id <= conversation.lastEvent) return conversation;
  const next = change(conversation, event);
  return next && { ...next, lastEvent: id };
}

function change(conversation: Conversation, event: VisitorEvent): Conversation | undefined {
  const { messages } = conversation;
  switch (event.type) {
    case 'turn.started':
      return {
        ...conversation,
        messages: put(messages, toChatMessage(event.data.user_message)),
        status: 'running',
        failure: null,
      };
    case 'turn.paused':
      return { ...conversation, status: 'paused' };
    case 'turn.resumed':
      return { ...conversation, status: 'running' };
    case 'turn.completed':
      return over(conversation, { isHandedOff: conversation.isHandedOff || event.data.handed_off });
    case 'turn.failed':
      return over(conversation, { failure: event.data.error.code });
    case 'turn.interrupted':
      return over(conversation);
    case 'message.completed':
    case 'message.operator':
      return { ...conversation, messages: put(messages, toChatMessage(event.data.message)) };
    case 'conversation.needs_human':
      return { ...conversation, isHandedOff: event.data.needs_human };
    case 'message.delta': {
      const { message_id: messageId, offset, text } = event.data;
      const shown = messages.find((message) => message.id === messageId)?.text ?? '';
      // Without the text before it, a piece is of no use: a snapshot or the whole message follows.
      if (offset > shown.length) return conversation;
      return preview(conversation, messageId, shown + text.slice(shown.length - offset));
    }
    case 'stream.snapshot':
      return preview(conversation, event.data.message_id, event.data.text);
    case 'conversation.truncated':
    case 'stream.gap':
      return undefined;
    default:
      // A newer service may send events that this widget does not know.
      return conversation;
  }
}

/** No reply is being written any more, so a preview that was not replaced by its message was discarded. */
function over(conversation: Conversation, changes?: Partial<Conversation>): Conversation {
  const messages = conversation.messages.filter(({ state }) => state !== 'streaming');
  return { ...conversation, messages, status: 'idle', ...changes };
}

function preview(conversation: Conversation, id: string, text: string): Conversation {
  const { messages } = conversation;
  const known = messages.find((message) => message.id === id);
  if (known && known.state !== 'streaming') return conversation;
  if (!text) return { ...conversation, messages: messages.filter((message) => message.id !== id) };
  return { ...conversation, messages: put(messages, newMessage(id, 'bot', text, 'streaming')) };
}

function put(messages: readonly ChatMessage[], message: ChatMessage): readonly ChatMessage[] {
  const isKnown = messages.some(({ id }) => id === message.id);
  return isKnown
    ? messages.map((known) => (known.id === message.id ? message : known))
    : [...messages, message];
}

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

function toChatMessage(message: EndUserMessage): ChatMessage {
  return {
    id: message.id,
    from: authors[message.role],
    text: message.content,
    state: message.interrupted ? 'interrupted' : 'done',
    citations: message.citations.map(({ title, source_url: sourceUrl, quote }) => ({
      title,
      sourceUrl,
      quote,
    })),
    author: message.author_name,
    createdAt: message.created_at,
  };
}
