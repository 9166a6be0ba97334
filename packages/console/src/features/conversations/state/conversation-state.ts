import type { ServerEvent } from '@svc/client/server-events';
import type { ConsoleConversation } from '@svc/contract/console-conversation';
import type { DurableEvent, LiveEvent } from '@svc/contract/events';
import { serverNow } from '../../../format/server-time.ts';
import { applyLive } from './apply-live.ts';
import { applyStored } from './apply-stored.ts';

import type { ConversationState } from './state-types.ts';

export type { ConversationState } from './state-types.ts';

const maxRecent = 500;

export function toState(conversation: ConsoleConversation): ConversationState {
  return {
    conversation,
    lastEventId: conversation.last_event_id,
    preview: null,
    progress: {},
    results: {},
    isIncomplete: false,
    recent: [],
  };
}

/** Applies events in their order. Those that are part of the state already change nothing. */
export function applyEvents(
  state: ConversationState,
  events: readonly ServerEvent[],
  now = new Date(serverNow()),
): ConversationState {
  return events.reduce((before, event) => apply(before, event, now), state);
}

/** What was read, with the events that arrived while it was being read. */
export function reread(before: ConversationState | undefined, read: ConsoleConversation): ConversationState {
  const state = toState(read);
  if (!before) return state;
  const missed = before.recent.filter(({ id }) => id !== undefined && id > state.lastEventId);
  const kept = { ...state, preview: before.preview, progress: before.progress, results: before.results };
  return withoutFinishedPreview(applyEvents(kept, missed));
}

function apply(state: ConversationState, received: ServerEvent, now: Date): ConversationState {
  const { id } = received;
  if (id === undefined) return applyLive(state, received as unknown as LiveEvent);
  if (id <= state.lastEventId) return state;
  const isGap = id > state.lastEventId + 1;
  const numbered = {
    ...state,
    lastEventId: id,
    isIncomplete: state.isIncomplete || isGap,
    recent: [...state.recent, received].slice(-maxRecent),
  };
  return withoutFinishedPreview(applyStored(numbered, received as unknown as DurableEvent, now));
}

function withoutFinishedPreview(state: ConversationState): ConversationState {
  const { preview, conversation } = state;
  if (!preview || !conversation.messages.some(({ id }) => id === preview.messageId)) return state;
  return { ...state, preview: null };
}
