import type { EndUserDurableEvent, EndUserLiveEvent } from '@svc/contract/end-user-events';
import type { EndUserConversationDetail, EndUserMessage } from '@svc/contract/end-users';

/** A stored event. */
export type StoredEvent = EndUserDurableEvent & { id: number };

/** A conversation of the scripted service, and what a test can make happen in it. */
export interface ScriptedConversation extends EndUserConversationDetail {
  visitor: string;
  events: StoredEvent[];
  turnId: string;
  preview: { message_id: string; text: string } | undefined;
  /** Previews a piece of the reply. */
  write(text: string): void;
  /** Stores the reply and ends the turn. */
  complete(text?: string): void;
  emit(event: EndUserDurableEvent): void;
  say(role: 'assistant' | 'operator', content: string, author?: string): EndUserMessage;
  /** A person of the team types. */
  type(name: string | null): void;
  fail(code?: 'INTERNAL' | 'INSUFFICIENT_BALANCE'): void;
  pause(): void;
  resume(): void;
  /** Ends the turn early and keeps what was previewed. */
  interrupt(): void;
  /** Puts everything from this message on aside: for a turn, or for messages that were put aside before. */
  branch(place: number, turnId: string | null, others?: EndUserMessage[]): void;
  /** Deletes messages, as a truncation does. */
  truncate(count: number): void;
}

export function newMessage(
  id: string,
  role: EndUserMessage['role'],
  content: string,
  author?: string,
): EndUserMessage {
  return {
    id,
    role,
    content,
    citations: [],
    author_name: author ?? null,
    interrupted: false,
    rating: null,
    created_at: new Date().toISOString(),
  };
}

interface ConversationOptions {
  visitor: string;
  newName(kind: string): string;
  send(conversation: ScriptedConversation, event: StoredEvent | EndUserLiveEvent): void;
}

export function createScriptedConversation({
  visitor,
  newName,
  send,
}: ConversationOptions): ScriptedConversation {
  const conversation: ScriptedConversation = {
    id: newName('conversation'),
    bot_id: 'bot',
    title: '',
    status: 'idle',
    needs_human: false,
    taken_over: false,
    created_at: new Date().toISOString(),
    last_message_at: null,
    last_event_id: 0,
    has_branches: false,
    messages: [],
    visitor,
    events: [],
    turnId: '',
    preview: undefined,
    emit(event) {
      conversation.last_event_id += 1;
      const numbered = { ...event, id: conversation.last_event_id };
      conversation.events.push(numbered);
      send(conversation, numbered);
    },
    write(text) {
      conversation.preview ??= { message_id: newName('message'), text: '' };
      const { preview } = conversation;
      const data = { message_id: preview.message_id, offset: preview.text.length, text };
      preview.text += text;
      send(conversation, { type: 'message.delta', data });
    },
    say(role, content, author) {
      const message = newMessage(newName('message'), role, content, author);
      if (role === 'assistant' && conversation.preview) message.id = conversation.preview.message_id;
      conversation.messages.push(message);
      const type = role === 'operator' ? 'message.operator' : 'message.completed';
      conversation.emit({ type, data: { message } });
      return message;
    },
    complete(text) {
      const { id } = conversation.say('assistant', text ?? conversation.preview?.text ?? 'Done.');
      conversation.preview = undefined;
      conversation.status = 'idle';
      conversation.emit({
        type: 'turn.completed',
        data: { turn_id: conversation.turnId, message_id: id, handed_off: false },
      });
    },
    type(author_name) {
      send(conversation, { type: 'message.typing', data: { author_name } });
    },
    fail(code = 'INTERNAL') {
      conversation.status = 'idle';
      conversation.preview = undefined;
      const error = { code, message: 'It failed.', retryable: true };
      conversation.emit({ type: 'turn.failed', data: { turn_id: conversation.turnId, error } });
    },
    pause() {
      conversation.status = 'paused';
      conversation.emit({ type: 'turn.paused', data: { turn_id: conversation.turnId } });
    },
    resume() {
      conversation.status = 'running';
      conversation.emit({ type: 'turn.resumed', data: { turn_id: conversation.turnId } });
    },
    interrupt() {
      if (conversation.preview) {
        const { message_id: id, text } = conversation.preview;
        const message = { ...newMessage(id, 'assistant', text), interrupted: true };
        conversation.messages.push(message);
        conversation.preview = undefined;
        conversation.emit({ type: 'message.completed', data: { message } });
      }
      conversation.status = 'idle';
      conversation.emit({ type: 'turn.interrupted', data: { turn_id: conversation.turnId } });
    },
    branch(place, turnId, others = []) {
      conversation.messages.splice(place, Infinity, ...others);
      conversation.has_branches = true;
      const after = conversation.messages[place - 1]?.id ?? null;
      const data = { branch_id: newName('branch'), after_message_id: after, turn_id: turnId };
      conversation.emit({ type: 'conversation.branched', data });
    },
    truncate(count) {
      conversation.messages.splice(count);
      const after = conversation.messages.at(-1)?.id ?? '';
      conversation.emit({ type: 'conversation.truncated', data: { after_message_id: after } });
    },
  };
  return conversation;
}
