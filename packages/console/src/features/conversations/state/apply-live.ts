import type { ConversationEvent as StreamEvent } from '@svc/contract/events';
import type { ConversationState } from './state-types.ts';

/** Applies an event that is not stored. Events of a newer service change nothing. */
export function applyLive(state: ConversationState, event: StreamEvent): ConversationState {
  if (event.type === 'message.delta') return applyDelta(state, event.data);
  if (event.type === 'stream.snapshot') return applySnapshot(state, event.data);
  if (event.type === 'tool.progress') {
    const { tool_call_id: id, text } = event.data;
    return { ...state, progress: { ...state.progress, [id]: text } };
  }
  return event.type === 'stream.gap' ? { ...state, isIncomplete: true } : state;
}

type DataOf<Type extends StreamEvent['type']> = Extract<StreamEvent, { type: Type }>['data'];

function applyDelta(state: ConversationState, delta: DataOf<'message.delta'>): ConversationState {
  const { message_id: messageId, offset, text } = delta;
  if (isComplete(state, messageId)) return state;
  const before = state.preview?.messageId === messageId ? state.preview.text : '';
  // The beginning is missing: the whole text follows with a snapshot or the finished message.
  if (offset > before.length) return state;
  return { ...state, preview: { messageId, text: before.slice(0, offset) + text } };
}

function applySnapshot(state: ConversationState, snapshot: DataOf<'stream.snapshot'>): ConversationState {
  const { message_id: messageId, text } = snapshot;
  if (isComplete(state, messageId)) return state;
  if (text !== '') return { ...state, preview: { messageId, text } };
  return state.preview?.messageId === messageId ? { ...state, preview: null } : state;
}

function isComplete({ conversation }: ConversationState, messageId: string): boolean {
  return conversation.messages.some(({ id }) => id === messageId);
}
