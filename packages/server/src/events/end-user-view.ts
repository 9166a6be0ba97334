import type { ConversationMessage } from '@svc/contract/conversations';
import type {
  EndUserDurableEvent,
  EndUserLiveEvent,
  EndUserLoggedEvent,
} from '@svc/contract/end-user-events';
import type { EndUserMessage } from '@svc/contract/end-users';
import { type ErrorCode, errorCodes } from '@svc/contract/errors';
import type { EventRow, StreamEvent } from './event.ts';

/** An event as end users get it. It keeps its number, so that hidden events leave holes. */
export type EndUserEvent =
  | (EndUserDurableEvent & { sequence: number })
  | (EndUserLiveEvent & { sequence: null });

type FullEvent = StreamEvent | EventRow;

/** The events that an end user may see, without what only the team may know. */
export function toEndUserEvents(events: readonly FullEvent[]): EndUserEvent[] {
  return events.flatMap((event) => toEndUserEvent(event) ?? []);
}

/** A stored event as an end user's list has it. */
export function toLoggedEndUserEvent(row: EventRow): EndUserLoggedEvent | undefined {
  const event = toDurableEvent(row);
  if (!event) return undefined;
  const listed = { id: row.sequence, event: event.type, data: event.data };
  // The compiler loses the link between a name and its data when a field is renamed.
  return { ...listed, created_at: row.createdAt.toISOString() } as EndUserLoggedEvent;
}

function toEndUserEvent(event: FullEvent): EndUserEvent | undefined {
  const { sequence } = event;
  if (sequence === null) return toLiveEvent(event);
  const durable = toDurableEvent(event);
  return durable && { ...durable, sequence };
}

function toLiveEvent(event: Extract<StreamEvent, { sequence: null }>): EndUserEvent | undefined {
  const { sequence } = event;
  switch (event.type) {
    case 'stream.snapshot': {
      const { message_id, text } = event.data;
      return { sequence, type: event.type, data: { message_id, text } };
    }
    case 'stream.gap': {
      const { from, to } = event.data;
      return { sequence, type: event.type, data: { from, to } };
    }
    case 'message.delta':
      // Most of a stream, with nothing to hide.
      return event;
    case 'message.typing': {
      const { role, author_name } = event.data;
      // They know what they do themselves.
      return role === 'operator' ? { sequence, type: event.type, data: { author_name } } : undefined;
    }
    case 'tool.progress':
    default:
      return undefined;
  }
}

function toDurableEvent(event: Exclude<FullEvent, { sequence: null }>): EndUserDurableEvent | undefined {
  switch (event.type) {
    case 'turn.started': {
      const { turn_id, conversation_id, bot_id } = event.data;
      const user_message = toEndUserMessage(event.data.user_message);
      return user_message && { type: event.type, data: { turn_id, conversation_id, bot_id, user_message } };
    }
    case 'turn.paused':
    case 'turn.resumed':
    case 'turn.interrupted':
      return { type: event.type, data: { turn_id: event.data.turn_id } };
    case 'turn.completed': {
      const { turn_id, message_id } = event.data;
      // An event of the previous release lacks it.
      const handed_off = event.data.handed_off ?? false;
      return { type: event.type, data: { turn_id, message_id, handed_off } };
    }
    case 'turn.failed':
      return {
        type: event.type,
        data: { turn_id: event.data.turn_id, error: generalError(event.data.error) },
      };
    case 'message.completed': {
      const { message: full } = event.data;
      // An interrupted message had a text, which was sent. It is empty if nothing of that is valid.
      const message = full.interrupted ? withoutInternals(full) : toEndUserMessage(full);
      return message && { type: event.type, data: { message } };
    }
    case 'message.operator': {
      const message = toEndUserMessage(event.data.message);
      return message && { type: event.type, data: { message } };
    }
    case 'message.rated': {
      const { message_id, rating } = event.data;
      return { type: event.type, data: { message_id, rating } };
    }
    case 'conversation.needs_human': {
      // An event of the previous release lacks it.
      const { needs_human, taken_over = false } = event.data;
      return { type: event.type, data: { needs_human: needs_human !== null, taken_over } };
    }
    case 'conversation.branched': {
      const { branch_id, after_message_id, turn_id } = event.data;
      return { type: event.type, data: { branch_id, after_message_id, turn_id } };
    }
    case 'conversation.truncated':
      return { type: event.type, data: { after_message_id: event.data.after_message_id } };
    case 'tool.started':
    case 'tool.completed':
    case 'approval.requested':
    case 'approval.resolved':
    case 'conversation.updated':
    default:
      // Also what newer nodes may store.
      return undefined;
  }
}

/** Undefined for messages that hold only the calls or results of tools. */
export function toEndUserMessage(message: ConversationMessage): EndUserMessage | undefined {
  return message.content === '' ? undefined : withoutInternals(message);
}

function withoutInternals(message: ConversationMessage): EndUserMessage | undefined {
  const { id, role, content, interrupted, attachments, created_at } = message;
  if (role === 'tool') return undefined;
  // Messages of the previous release lack them.
  const author_name = message.author_name ?? null;
  const rating = message.rating ?? null;
  const citations = message.citations.map(({ title, source_url, quote }) => ({ title, source_url, quote }));
  const shown = { id, role, content, citations, author_name, interrupted, rating, created_at };
  return attachments ? { ...shown, attachments } : shown;
}

/** The message of an error can quote a provider or a tool, so its code's own text is shown instead. */
function generalError({ code, retryable }: { code: ErrorCode; retryable: boolean }) {
  // A newer node may have stored a code that this one does not know.
  const known = Object.hasOwn(errorCodes, code) ? code : 'INTERNAL';
  return { code: known, message: errorCodes[known].message, retryable };
}
