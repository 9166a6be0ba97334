import type {
  ConsoleCall,
  ConsoleConversation,
  ConsoleMessage,
  ConsoleTurn,
} from '@svc/contract/console-conversation';
import type { ConversationMessage } from '@svc/contract/conversations';
import { applyEvent, type ConversationState, type FullEvent, stateOf, upsert } from './conversation.ts';

/** What is kept current of a conversation for those who may see its turns, tools and approvals. */
type FullConversation = Pick<
  ConsoleConversation,
  | 'status'
  | 'needs_human'
  | 'assignee'
  | 'state'
  | 'snoozed_until'
  | 'labels'
  | 'unread_mentions'
  | 'messages'
  | 'message_count'
  | 'notes'
  | 'turns'
  | 'calls'
  | 'approvals'
  | 'run'
  | 'call'
>;

export interface FullState<Read extends FullConversation = FullConversation> extends ConversationState<Read> {
  /** What running tools last reported, by call. */
  progress: Readonly<Record<string, string>>;
  /** Results that came with events, by call. */
  results: Readonly<Record<string, unknown>>;
  /** Stored events since it was read, to be applied again when it is read again. */
  recent: readonly FullEvent[];
}

const maxRecent = 500;

export function fullStateOf<Read extends FullConversation>(
  conversation: Read,
  lastEventId: number,
): FullState<Read> {
  return { ...stateOf(conversation, lastEventId), progress: {}, results: {}, recent: [] };
}

/** Applies events in their order. Those that are part of the state already change nothing. */
export function applyFullEvents<State extends FullState>(
  state: State,
  events: readonly FullEvent[],
  now: Date,
): State {
  return events.reduce((before, event) => applyFullEvent(before, event, now), state);
}

/** What was read again, with the events that arrived while it was being read. */
export function reread<Read extends FullConversation & { last_event_id: number }>(
  before: FullState<Read> | undefined,
  read: Read,
  now: Date,
): FullState<Read> {
  const state = fullStateOf(read, read.last_event_id);
  if (!before) return state;
  const { progress, results, preview, recent } = before;
  const isWritten = read.messages.some(({ id }) => id === preview?.messageId);
  return applyFullEvents({ ...state, progress, results, preview: isWritten ? null : preview }, recent, now);
}

function applyFullEvent<State extends FullState>(before: State, event: FullEvent, now: Date): State {
  const { id } = event;
  if (id !== undefined && id <= before.lastEventId) return before;
  const state = applyWork(applyEvent(before, event), event, now);
  if (id === undefined) return state;
  return {
    ...state,
    isIncomplete: state.isIncomplete || id > before.lastEventId + 1,
    recent: [...state.recent, event].slice(-maxRecent),
  };
}

/** What a message of the user makes of a conversation that was put away. */
const reopened = { state: 'open' as const, snoozed_until: null };

/** Adds what only this state has. */
function applyWork<State extends FullState>(state: State, event: FullEvent, now: Date): State {
  const { conversation } = state;
  const { messages, turns, calls, approvals } = conversation;
  const lastTurnId = turns.at(-1)?.id ?? null;
  const change = (fields: Partial<FullConversation>): State => withFields(state, fields);
  const setTurn = (id: string, fields: Partial<ConsoleTurn>) =>
    change({ turns: turns.map((turn) => (turn.id === id ? { ...turn, ...fields } : turn)) });
  const endTurn = (id: string, fields: Partial<ConsoleTurn>) => ({
    ...setTurn(id, { ...fields, ended_at: now.toISOString() }),
    progress: {},
  });

  switch (event.type) {
    case 'turn.started': {
      const { turn_id: turnId, user_message: message } = event.data;
      return change({
        messages: upsert(messages, toFullMessage(message, turnId)),
        turns: upsert(turns, newTurn(turnId, now)),
        ...(!conversation.run && !conversation.call && reopened),
      });
    }
    case 'turn.paused':
      return setTurn(event.data.turn_id, { status: 'paused' });
    case 'turn.resumed':
      return setTurn(event.data.turn_id, { status: 'running' });
    case 'turn.completed': {
      const { turn_id: id, usage, cost_usd, unpriced_models = [] } = event.data;
      return endTurn(id, { status: 'completed', usage, cost_usd, unpriced_models });
    }
    case 'turn.interrupted':
      return endTurn(event.data.turn_id, { status: 'interrupted', stopped_by: event.data.by });
    case 'turn.failed':
      return endTurn(event.data.turn_id, { status: 'failed', error: event.data.error });
    case 'message.completed': {
      const { message } = event.data;
      const proposed = message.tool_calls.map(({ id, name }) => newCall(id, name, lastTurnId));
      const written = upsert(messages, toFullMessage(message, lastTurnId));
      return change({ messages: written, calls: proposed.reduce(addUnknown, calls) });
    }
    case 'message.operator':
      return change({ messages: upsert(messages, toFullMessage(event.data.message, null)) });
    case 'tool.started': {
      const { tool_call_id: id, tool_name: name, tool_type } = event.data;
      const started = { tool_type, status: 'started' as const, started_at: now.toISOString() };
      const known = addUnknown(calls, newCall(id, name, lastTurnId));
      return change({ calls: known.map((call) => (call.id === id ? { ...call, ...started } : call)) });
    }
    case 'tool.progress':
      return { ...state, progress: { ...state.progress, [event.data.tool_call_id]: event.data.text } };
    case 'tool.completed': {
      const { tool_call_id: id, status, result, duration_ms } = event.data;
      const ended = calls.map((call) => (call.id === id ? { ...call, status, duration_ms } : call));
      return { ...change({ calls: ended }), results: { ...state.results, [id]: result } };
    }
    case 'approval.requested':
    case 'approval.resolved':
      return change({ approvals: upsert(approvals, event.data.approval) });
    case 'conversation.branched':
    case 'conversation.truncated':
      return truncateAfter(state, event.data.after_message_id);
    case 'conversation.updated': {
      const { notes, ...inbox } = event.data;
      return change({ ...inbox, notes: notes.reduce(upsert, conversation.notes) });
    }
    case 'message.rated':
      // What was wrong is not part of the event.
      return { ...state, isIncomplete: true };
    case 'conversation.needs_human':
    case 'message.delta':
    case 'message.typing':
    case 'stream.snapshot':
    case 'stream.gap':
    default:
      return state;
  }
}

function withFields<State extends FullState>(state: State, fields: Partial<FullConversation>): State {
  const count = fields.messages && { message_count: fields.messages.length };
  return { ...state, conversation: { ...state.conversation, ...fields, ...count } };
}

/** Removes everything after a message, or all messages. What else changed with that, such as the title, must be read again. */
function truncateAfter<State extends FullState>(state: State, messageId: string | null): State {
  const { conversation } = state;
  const index = conversation.messages.findIndex(({ id }) => id === messageId);
  if (index === -1 && messageId !== null) return { ...state, preview: null };
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

/** What it cost is not part of an event: it is known when the conversation is read again. */
function toFullMessage(message: ConversationMessage, turnId: string | null): ConsoleMessage {
  return { ...message, turn_id: turnId, model: null, usage: null, cost_usd: null, withheld: null };
}

function newTurn(id: string, startedAt: Date): ConsoleTurn {
  return {
    id,
    status: 'running',
    started_at: startedAt.toISOString(),
    ended_at: null,
    error: null,
    stopped_by: null,
    bot_version: null,
    model: null,
    usage: { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0 },
    cost_usd: '0',
    unpriced_models: [],
  };
}

function newCall(id: string, name: string, turnId: string | null): ConsoleCall {
  const turn_id = turnId ?? '';
  return { id, name, turn_id, tool_type: '', status: 'proposed', started_at: null, duration_ms: null };
}

function addUnknown(calls: ConsoleCall[], call: ConsoleCall): ConsoleCall[] {
  return calls.some(({ id }) => id === call.id) ? calls : [...calls, call];
}
