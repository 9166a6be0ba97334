import type { FullEvent } from '@svc/client/conversation';
import { applyFullEvents, fullStateOf } from '@svc/client/full-conversation';
import { withChangedArguments } from '@svc/contract/changed-result';
import type { ConsoleConversation, ConsoleMessage } from '@svc/contract/console-conversation';
import { expect, it } from 'vitest';
import type { ConversationState } from '../../api/conversations.ts';
import { toChat } from './to-chat.ts';

const message = (id: string, role: ConsoleMessage['role'], content: string) =>
  ({
    id,
    role,
    content,
    tool_calls: [],
    tool_call_id: null,
    citations: [],
    turn_id: 'turn-1',
  }) as unknown as ConsoleMessage;
const read = {
  status: 'idle',
  messages: [message('m1', 'user', 'Hi'), message('m2', 'assistant', 'Hello')],
  notes: [],
  turns: [],
  calls: [],
  approvals: [],
} as unknown as ConsoleConversation;
const event = (id: number | undefined, type: string, data: object) => ({ id, type, data }) as FullEvent;
const started = event(4, 'turn.started', {
  turn_id: 'turn-2',
  user_message: message('m3', 'user', 'Where is it?'),
});
const apply = (state: ConversationState, ...events: FullEvent[]) =>
  applyFullEvents(state, events, new Date());
const running = apply(fullStateOf(read, 3), started);
const textsOf = (state: ConversationState) =>
  toChat(state).map((entry) => (entry.kind === 'message' ? entry.message.text : entry.kind));

it('shows that the bot works, then the text as it grows, then the finished reply', () => {
  expect(textsOf(running)).toEqual(['Hi', 'Hello', 'Where is it?', 'working']);
  const writing = apply(
    running,
    event(undefined, 'message.delta', { message_id: 'm4', offset: 0, text: 'In Cologne' }),
  );
  expect(textsOf(writing)).toEqual(['Hi', 'Hello', 'Where is it?', 'In Cologne']);
  const done = apply(
    writing,
    event(5, 'message.completed', { message: message('m4', 'assistant', 'In Cologne.') }),
    event(6, 'turn.completed', { turn_id: 'turn-2', cost_usd: '0.002' }),
  );
  expect(textsOf(done)).toEqual(['Hi', 'Hello', 'Where is it?', 'In Cologne.']);
});

it('hides what a caller did not say', () => {
  const guess = { ...message('m3', 'user', ''), turn_id: 'turn-2' };
  const unheard = { ...message('m4', 'assistant', ''), turn_id: 'turn-2', interrupted: true };
  const said = { ...message('m5', 'user', 'Where is it?'), turn_id: 'turn-3' };
  const messages = [...read.messages, guess, unheard, said];
  expect(textsOf(fullStateOf({ ...read, messages }, 6))).toEqual(['Hi', 'Hello', 'Where is it?']);
});

it('shows the result of a call that a person changed without what its model was told about it', () => {
  const calling = {
    ...message('m4', 'assistant', ''),
    tool_calls: [{ id: 'k', name: 'refund', arguments: { amount: 12 }, executed_arguments: { amount: 5 } }],
  };
  const result = {
    ...message('m5', 'tool', withChangedArguments({ amount: 5 }, '{"refunded":true}')),
    tool_call_id: 'k',
  };
  const shown = toChat(fullStateOf({ ...read, messages: [calling, result] }, 6));
  const [call] = shown.flatMap((entry) => (entry.kind === 'message' ? entry.message.calls : []));
  expect(call).toMatchObject({ edited: { amount: 5 }, output: { refunded: true } });
});

it('shows a call with its progress, result and unknown state', () => {
  const calling = {
    ...message('m4', 'assistant', ''),
    tool_calls: [{ id: 'k', name: 'find_order', arguments: { number: 7 }, executed_arguments: null }],
  };
  const state = apply(
    running,
    event(5, 'message.completed', { message: calling }),
    event(6, 'tool.started', {
      tool_call_id: 'k',
      tool_name: 'find_order',
      tool_type: 'http_request',
      arguments: {},
    }),
    event(undefined, 'tool.progress', { tool_call_id: 'k', text: 'half' }),
  );
  const callOf = (shown: typeof state) =>
    toChat(shown).flatMap((entry) => (entry.kind === 'message' ? entry.message.calls : []))[0];
  expect(callOf(state)).toMatchObject({ status: 'started', progress: 'half', output: undefined });
  expect(textsOf(state)).not.toContain('working');
  const over = apply(
    state,
    event(7, 'tool.completed', { tool_call_id: 'k', status: 'unknown', result: { a: 1 }, duration_ms: 182 }),
  );
  expect(callOf(over)).toMatchObject({
    status: 'unknown',
    durationMs: 182,
    output: { a: 1 },
    progress: null,
  });
});
