import type { ConversationState } from './state-types.ts';

/** Removes everything after a message. What else changed with that, such as the title, must be read again. */
export function truncateAfter(state: ConversationState, messageId: string): ConversationState {
  const { conversation } = state;
  const index = conversation.messages.findIndex(({ id }) => id === messageId);
  if (index === -1) return { ...state, preview: null, isIncomplete: true };
  const messages = conversation.messages.slice(0, index + 1);
  const callIds = new Set(messages.flatMap(({ tool_calls }) => tool_calls.map(({ id }) => id)));
  const turnIds = new Set(messages.map(({ turn_id }) => turn_id));
  return {
    ...state,
    preview: null,
    progress: {},
    isIncomplete: true,
    conversation: {
      ...conversation,
      status: 'idle',
      messages,
      message_count: messages.length,
      calls: conversation.calls.filter(({ id }) => callIds.has(id)),
      approvals: conversation.approvals.filter(({ tool_call_id: id }) => callIds.has(id)),
      turns: conversation.turns.filter(({ id }) => turnIds.has(id)),
    },
  };
}
