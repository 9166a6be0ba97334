import type { EndUserDurableEvent, EndUserLiveEvent } from '@svc/contract/end-user-events';
import type { ConversationEvent } from '@svc/contract/events';

/** An event as end users are sent it. Those without an id are previews, which are not stored. */
export type EndUserEvent = (EndUserDurableEvent | EndUserLiveEvent) & { id: number | undefined };
/** An event as everyone else is sent it. */
export type FullEvent = ConversationEvent & { id: number | undefined };

/** What the service says of every conversation, whoever reads it. */
interface ReadConversation {
  status: string;
  needs_human: unknown;
  messages: readonly { id: string }[];
  /** Only of agents. */
  run?: unknown;
  /** Only of calls. */
  call?: unknown;
}

/** A conversation as it was read from the service, and what its events have added since. */
export interface ConversationState<Read extends ReadConversation = ReadConversation> {
  conversation: Read;
  /** The id of the last event that is part of it. */
  lastEventId: number;
  /** The reply that is being written. */
  preview: { messageId: string; text: string } | null;
  /** The code of the error that ended the last turn. */
  failure: string | null;
  /** Something is missing that only the service knows: the conversation has to be read again. */
  isIncomplete: boolean;
}

export function stateOf<Read extends ReadConversation>(
  conversation: Read,
  lastEventId: number,
): ConversationState<Read> {
  return { conversation, lastEventId, preview: null, failure: null, isIncomplete: false };
}

/** The state after an event. Events that are part of it already, and those of a newer service, change nothing. */
export function applyEvent<State extends ConversationState>(
  before: State,
  event: EndUserEvent | FullEvent,
): State {
  const { id } = event;
  if (id !== undefined && id <= before.lastEventId) return before;
  const state = id === undefined ? before : { ...before, lastEventId: id };
  switch (event.type) {
    case 'turn.started':
      return setStatus({ ...putMessage(state, event.data.user_message), failure: null }, 'running');
    case 'turn.paused':
      return setStatus(state, 'paused');
    case 'turn.resumed':
      return setStatus(state, 'running');
    case 'turn.completed':
      return endTurn(state, 'completed');
    case 'turn.interrupted':
      return endTurn(state, 'interrupted');
    case 'turn.failed':
      return endTurn({ ...state, failure: event.data.error.code }, 'failed');
    case 'message.completed':
    case 'message.operator':
      return putMessage(state, event.data.message);
    case 'message.rated': {
      const { message_id: messageId, rating } = event.data;
      const { messages } = state.conversation;
      return change(state, {
        messages: messages.map((message) => (message.id === messageId ? { ...message, rating } : message)),
      });
    }
    case 'conversation.needs_human':
      return change(state, event.data);
    case 'message.delta': {
      const { message_id: messageId, offset, text } = event.data;
      const shown = state.preview?.messageId === messageId ? state.preview.text : '';
      // Without the text before it, a piece is of no use: a snapshot or the whole message follows.
      if (offset > shown.length) return state;
      return setPreview(state, messageId, shown + text.slice(shown.length - offset));
    }
    case 'stream.snapshot':
      return setPreview(state, event.data.message_id, event.data.text);
    case 'conversation.branched': {
      const { after_message_id: messageId, turn_id: turnId } = event.data;
      const { messages } = state.conversation;
      const last = messageId === null ? -1 : messages.findIndex((message) => message.id === messageId);
      const isKnown = turnId !== null && (messageId === null || last >= 0);
      if (!isKnown) return { ...state, preview: null, isIncomplete: true };
      return change({ ...state, preview: null }, { messages: messages.slice(0, last + 1) });
    }
    case 'conversation.truncated':
      // Only what is over is truncated: the end of the reply may be among what was removed.
      return { ...state, preview: null, isIncomplete: true };
    case 'stream.gap':
      return { ...state, isIncomplete: true };
    case 'tool.started':
    case 'tool.progress':
    case 'message.typing':
    case 'tool.completed':
    case 'approval.requested':
    case 'approval.resolved':
    case 'conversation.updated':
    default:
      return state;
  }
}

function change<State extends ConversationState>(state: State, fields: Partial<ReadConversation>): State {
  return { ...state, conversation: { ...state.conversation, ...fields } };
}

/** A call has a status of its own, which its turns do not change. */
function setStatus<State extends ConversationState>(state: State, status: string): State {
  return state.conversation.call ? state : change(state, { status });
}

/** No reply is being written any more, so a preview that was not replaced by its message was discarded. */
function endTurn<State extends ConversationState>(state: State, status: string): State {
  return setStatus({ ...state, preview: null }, state.conversation.run ? status : 'idle');
}

function putMessage<State extends ConversationState>(state: State, message: { id: string }): State {
  const { conversation, preview } = state;
  return change(
    { ...state, preview: preview?.messageId === message.id ? null : preview },
    { messages: upsert(conversation.messages, message) },
  );
}

/** Replaces the entry with the same id, or adds it at the end. */
export function upsert<Entry extends { id: string }>(entries: readonly Entry[], entry: Entry): Entry[] {
  const index = entries.findIndex(({ id }) => id === entry.id);
  return index < 0 ? [...entries, entry] : entries.with(index, entry);
}

/** An empty text discards the preview. A message that is complete stays as it is. */
function setPreview<State extends ConversationState>(state: State, messageId: string, text: string): State {
  if (state.conversation.messages.some(({ id }) => id === messageId)) return state;
  if (!text && state.preview?.messageId !== messageId) return state;
  return { ...state, preview: text ? { messageId, text } : null };
}
