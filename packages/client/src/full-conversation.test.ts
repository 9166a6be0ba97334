import type { ConsoleConversation, ConsoleMessage } from '@svc/contract/console-conversation';
import { describe, expect, it } from 'vitest';
import type { FullEvent } from './conversation.ts';
import { applyFullEvents, type FullState, fullStateOf, reread } from './full-conversation.ts';

const usage = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0 };

function message(id: string, role: ConsoleMessage['role'], content: string): ConsoleMessage {
  return {
    id,
    role,
    content,
    tool_calls: [],
    tool_call_id: null,
    citations: [],
    interrupted: false,
    author_name: null,
    rating: null,
    created_at: '2026-11-15T09:30:00.000Z',
    turn_id: 'turn-1',
    model: null,
    usage: null,
    cost_usd: null,
    withheld: null,
  };
}

function conversation(fields: Partial<ConsoleConversation> = {}): ConsoleConversation {
  return {
    id: 'c',
    status: 'idle',
    messages: [message('m1', 'user', 'Hi'), message('m2', 'assistant', 'Hello')],
    turns: [],
    calls: [],
    approvals: [],
    needs_human: null,
    notes: [],
    last_event_id: 3,
    usage,
    ...fields,
  } as ConsoleConversation;
}

const stored = (id: number, type: string, data: object) => ({ id, type, data }) as FullEvent;
const live = (type: string, data: object) => ({ id: undefined, type, data }) as FullEvent;
const delta = (offset: number, text: string) => live('message.delta', { message_id: 'm4', offset, text });
const started = stored(4, 'turn.started', {
  turn_id: 'turn-2',
  user_message: message('m3', 'user', 'Where is it?'),
});
const completed = (id: number, text: string) =>
  stored(id, 'message.completed', { message: message('m4', 'assistant', text) });
const now = new Date('2026-11-15T09:31:00.000Z');
const toState = (read: ConsoleConversation) => fullStateOf(read, read.last_event_id);
const applyEvents = <State extends FullState>(state: State, events: FullEvent[]) =>
  applyFullEvents(state, events, now);
const textsOf = ({ conversation: { messages }, preview }: FullState) => [
  ...messages.map(({ content }) => content),
  ...(preview ? [preview.text] : []),
];

describe('a turn that streams in', () => {
  const running = applyEvents(toState(conversation()), [started]);

  it('has the text as it grows, then the finished reply', () => {
    expect(textsOf(running)).toEqual(['Hi', 'Hello', 'Where is it?']);
    expect(running.conversation.message_count).toBe(3);
    const writing = applyEvents(running, [delta(0, 'In '), delta(3, 'Cologne')]);
    expect(textsOf(writing).at(-1)).toBe('In Cologne');
    const done = applyEvents(writing, [
      completed(5, 'In Cologne.'),
      stored(6, 'turn.completed', { turn_id: 'turn-2', usage, cost_usd: '0.002' }),
    ]);
    expect(textsOf(done)).toEqual(['Hi', 'Hello', 'Where is it?', 'In Cologne.']);
    expect(done.conversation).toMatchObject({
      status: 'idle',
      turns: [{ status: 'completed', cost_usd: '0.002' }],
    });
    expect(done.preview).toBeNull();
  });

  it('ignores deltas that overlap, miss their beginning or come too late', () => {
    const writing = applyEvents(running, [delta(0, 'In Col'), delta(3, 'Cologne')]);
    expect(writing.preview?.text).toBe('In Cologne');
    expect(applyEvents(running, [delta(7, 'ogne')]).preview).toBeNull();
    expect(applyEvents(running, [completed(5, 'Done.'), delta(0, 'late')]).preview).toBeNull();
  });

  it('takes a snapshot as the whole text, and an empty one as a retraction', () => {
    const shown = applyEvents(running, [
      delta(0, 'x'),
      live('stream.snapshot', { message_id: 'm4', text: 'In Co' }),
    ]);
    expect(applyEvents(shown, [delta(5, 'logne')]).preview?.text).toBe('In Cologne');
    expect(applyEvents(shown, [live('stream.snapshot', { message_id: 'm4', text: '' })]).preview).toBeNull();
  });
});

it('applies each numbered event once', () => {
  const once = applyEvents(toState(conversation()), [started, completed(5, 'Done.')]);
  expect(applyEvents(once, [started, completed(5, 'Done.')])).toBe(once);
  expect(
    applyEvents(once, [stored(2, 'message.completed', { message: message('old', 'assistant', 'old') })]),
  ).toBe(once);
});

it('has calls with their progress, result and unknown state', () => {
  const calling = {
    ...message('m4', 'assistant', ''),
    tool_calls: [{ id: 'k', name: 'find_order', arguments: { number: 7 }, executed_arguments: null }],
  };
  const proposed = applyEvents(toState(conversation()), [
    started,
    stored(5, 'message.completed', { message: calling }),
  ]);
  expect(proposed.conversation.calls).toMatchObject([{ id: 'k', name: 'find_order', status: 'proposed' }]);
  const running = applyEvents(proposed, [
    stored(6, 'tool.started', { tool_call_id: 'k', tool_name: 'find_order', tool_type: 'http_request' }),
    live('tool.progress', { tool_call_id: 'k', text: 'half' }),
  ]);
  expect(running).toMatchObject({
    conversation: { calls: [{ status: 'started', tool_type: 'http_request' }] },
    progress: { k: 'half' },
  });
  const over = applyEvents(running, [
    stored(7, 'tool.completed', { tool_call_id: 'k', status: 'unknown', result: { a: 1 }, duration_ms: 182 }),
  ]);
  expect(over).toMatchObject({
    conversation: { calls: [{ status: 'unknown', duration_ms: 182 }] },
    results: { k: { a: 1 } },
  });
});

describe('what only the service knows', () => {
  it('is requested after a gap in the numbers, and after an announced one', () => {
    expect(applyEvents(toState(conversation()), [completed(9, 'Later.')]).isIncomplete).toBe(true);
    expect(applyEvents(toState(conversation()), [live('stream.gap', { from: 4, to: 8 })]).isIncomplete).toBe(
      true,
    );
    expect(applyEvents(toState(conversation()), [started]).isIncomplete).toBe(false);
  });

  it('replaces the state without losing events that arrived meanwhile', () => {
    const before = applyEvents(toState(conversation()), [
      started,
      delta(0, 'In '),
      completed(5, 'In Cologne.'),
    ]);
    const read = conversation({ last_event_id: 4, title: 'Read again' });
    const after = reread(before, read, now);
    expect(after).toMatchObject({
      lastEventId: 5,
      isIncomplete: false,
      conversation: { title: 'Read again' },
    });
    expect(textsOf(after)).toContain('In Cologne.');
    expect(after.preview).toBeNull();
  });

  it('keeps the text that is being written', () => {
    const writing = applyEvents(toState(conversation()), [started, delta(0, 'In ')]);
    expect(reread(writing, conversation({ last_event_id: 4 }), now).preview?.text).toBe('In ');
  });
});

describe('a truncation', () => {
  it('removes what came after the message', () => {
    const state = applyEvents(toState(conversation()), [
      stored(4, 'conversation.truncated', { after_message_id: 'm1' }),
    ]);
    expect(textsOf(state)).toEqual(['Hi']);
    expect(state).toMatchObject({ isIncomplete: true, lastEventId: 4 });
  });

  it('of messages that are not known is read again', () => {
    const state = applyEvents(toState(conversation()), [
      stored(4, 'conversation.truncated', { after_message_id: 'x' }),
    ]);
    expect(state.isIncomplete).toBe(true);
  });
});

describe('a branch', () => {
  it('that a turn begins takes the place of what came after the message', () => {
    const branched = (after: string | null) =>
      applyEvents(toState(conversation()), [
        stored(4, 'conversation.branched', { branch_id: 'b', after_message_id: after, turn_id: 't2' }),
      ]);
    expect(textsOf(branched('m1'))).toEqual(['Hi']);
    expect(textsOf(branched(null))).toEqual([]);
    expect(branched('m1').isIncomplete).toBe(true);
  });
});

it('ignores events of a newer service', () => {
  const state = applyEvents(toState(conversation()), [
    stored(4, 'conversation.archived', {}),
    live('typing', {}),
  ]);
  expect(state).toMatchObject({ lastEventId: 4, isIncomplete: false });
});

it('takes over what people decided, and opens again what a user writes into', () => {
  const note = {
    id: 'n1',
    kind: 'resolved',
    author_id: null,
    author_name: 'Ada',
    text: null,
    created_at: '',
  };
  const inbox = { assignee: 'ada', state: 'resolved', snoozed_until: null, labels: ['vip'] };
  const resolved = applyEvents(toState(conversation()), [
    stored(4, 'conversation.updated', { ...inbox, notes: [note] }),
  ]);
  expect(resolved.conversation).toMatchObject({ ...inbox, notes: [note] });
  const again = applyEvents(resolved, [{ ...started, id: 5 }]);
  expect(again.conversation).toMatchObject({ ...inbox, state: 'open', notes: [note] });
});
