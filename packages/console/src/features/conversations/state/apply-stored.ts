import type { ConsoleCall, ConsoleConversation, ConsoleTurn } from '@svc/contract/console-conversation';
import type { DurableEvent } from '@svc/contract/events';
import type { ConversationState } from './state-types.ts';
import { truncateAfter } from './truncate-after.ts';
import { newTurn, toApproval, toConsoleMessage, upsert } from './wire-parts.ts';

/** Applies an event that is stored. Events of a newer service change nothing. */
export function applyStored(state: ConversationState, event: DurableEvent, now: Date): ConversationState {
  const { conversation } = state;
  const at = now.toISOString();
  const change = (fields: Partial<ConsoleConversation>): ConversationState => ({
    ...state,
    conversation: {
      ...conversation,
      ...fields,
      ...(fields.messages && { message_count: fields.messages.length }),
    },
  });
  switch (event.type) {
    case 'turn.started': {
      const { turn_id: turnId, user_message: message } = event.data;
      return change({
        status: conversation.call ? conversation.status : 'running',
        messages: upsert(conversation.messages, toConsoleMessage(message, turnId)),
        turns: upsert(conversation.turns, newTurn(turnId, at)),
      });
    }
    case 'turn.paused':
      return change({
        status: conversation.call ? conversation.status : 'paused',
        turns: setTurn(conversation, event.data.turn_id, { status: 'paused' }),
      });
    case 'turn.resumed':
      return change({
        status: conversation.call ? conversation.status : 'running',
        turns: setTurn(conversation, event.data.turn_id, { status: 'running' }),
      });
    case 'turn.completed': {
      const { turn_id: id, usage, cost_usd } = event.data;
      return endTurn(state, id, { status: 'completed', ended_at: at, usage, cost_usd });
    }
    case 'turn.interrupted': {
      const { turn_id: id, by } = event.data;
      return endTurn(state, id, { status: 'interrupted', ended_at: at, stopped_by: by });
    }
    case 'turn.failed': {
      const { turn_id: id, error } = event.data;
      return endTurn(state, id, { status: 'failed', ended_at: at, error });
    }
    case 'message.completed': {
      const { message } = event.data;
      const turnId = conversation.turns.at(-1)?.id ?? null;
      const calls = message.tool_calls.map(({ id, name }) => proposed(id, name, turnId));
      return change({
        messages: upsert(conversation.messages, toConsoleMessage(message, turnId)),
        calls: calls.reduce(addUnknown, conversation.calls),
      });
    }
    case 'message.operator':
      return change({ messages: upsert(conversation.messages, toConsoleMessage(event.data.message, null)) });
    case 'tool.started': {
      const { tool_call_id: id, tool_name: name, tool_type } = event.data;
      const known = addUnknown(conversation.calls, proposed(id, name, conversation.turns.at(-1)?.id ?? null));
      return change({
        calls: known.map((call) =>
          call.id === id ? { ...call, tool_type, status: 'started' as const, started_at: at } : call,
        ),
      });
    }
    case 'tool.completed': {
      const { tool_call_id: id, status, result, duration_ms } = event.data;
      const calls = conversation.calls.map((call) =>
        call.id === id ? { ...call, status, duration_ms } : call,
      );
      return { ...change({ calls }), results: { ...state.results, [id]: result } };
    }
    case 'approval.requested':
    case 'approval.resolved':
      return change({ approvals: upsert(conversation.approvals, toApproval(event.data.approval)) });
    case 'conversation.needs_human':
      return change({ needs_human: event.data.needs_human });
    case 'conversation.truncated':
      return truncateAfter(state, event.data.after_message_id);
    default:
      return state;
  }
}

function setTurn({ turns }: ConsoleConversation, id: string, fields: Partial<ConsoleTurn>): ConsoleTurn[] {
  return turns.map((turn) => (turn.id === id ? { ...turn, ...fields } : turn));
}

function endTurn(state: ConversationState, id: string, fields: Partial<ConsoleTurn>): ConversationState {
  const { conversation } = state;
  return {
    ...state,
    preview: null,
    progress: {},
    conversation: {
      ...conversation,
      status: statusAfter(conversation, fields.status),
      turns: setTurn(conversation, id, fields),
    },
  };
}

/** A call has a state of its own, which its turns do not change. */
function statusAfter({ call, run, status }: ConsoleConversation, ended: ConsoleTurn['status'] = 'completed') {
  if (call) return status;
  return run ? ended : 'idle';
}

function proposed(id: string, name: string, turnId: string | null): ConsoleCall {
  return {
    id,
    name,
    turn_id: turnId ?? '',
    tool_type: '',
    status: 'proposed',
    started_at: null,
    duration_ms: null,
  };
}

function addUnknown(calls: ConsoleCall[], call: ConsoleCall): ConsoleCall[] {
  return calls.some(({ id }) => id === call.id) ? calls : [...calls, call];
}
