import { expect, it } from 'vitest';
import { applyEvent, type EndUserEvent, stateOf } from './conversation.ts';

type Message = ReturnType<typeof message>;
const empty = stateOf({ status: 'idle', needs_human: false, messages: [] as Message[] }, 0);

const message = (id: string, content: string, role: 'user' | 'assistant' = 'assistant') => ({
  id,
  role,
  content,
  citations: [],
  author_name: null,
  rating: null,
  interrupted: false,
  created_at: '2026-11-16T09:00:00.000Z',
});
const delta = (offset: number, text: string) =>
  ({ id: undefined, type: 'message.delta', data: { message_id: 'b', offset, text } }) as const;
const snapshot = (text: string) =>
  ({ id: undefined, type: 'stream.snapshot', data: { message_id: 'b', text } }) as const;
const started: EndUserEvent = {
  id: 1,
  type: 'turn.started',
  data: { turn_id: 't', conversation_id: 'c', bot_id: 'x', user_message: message('a', 'Hello', 'user') },
};
const completed: EndUserEvent = {
  id: 2,
  type: 'message.completed',
  data: { message: message('b', 'One two') },
};

const apply = (...events: EndUserEvent[]) => events.reduce(applyEvent, empty);
const lines = ({ conversation, preview }: typeof empty) => [
  ...conversation.messages.map(({ content }) => `${content} done`),
  ...(preview ? [`${preview.text} streaming`] : []),
];

it('joins pieces, and ignores those that it has or cannot place', () => {
  expect(lines(apply(started, delta(0, 'One'), delta(3, ' two')))).toEqual([
    'Hello done',
    'One two streaming',
  ]);
  expect(lines(apply(started, delta(0, 'One'), delta(0, 'One t'), delta(2, 'e')))).toEqual([
    'Hello done',
    'One t streaming',
  ]);
  expect(lines(apply(started, delta(3, 'later')))).toEqual(['Hello done']);
  expect(lines(apply(started, completed, delta(0, 'One')))).toEqual(['Hello done', 'One two done']);
});

it('replaces a preview by a snapshot, drops it when it was discarded, and never drops a message', () => {
  expect(lines(apply(started, delta(0, 'One'), snapshot('One two'))).at(-1)).toBe('One two streaming');
  expect(lines(apply(started, delta(0, 'One'), snapshot('')))).toEqual(['Hello done']);
  expect(lines(apply(started, completed, snapshot('')))).toEqual(['Hello done', 'One two done']);
});

it('applies every stored event once', () => {
  expect(apply(started, completed, started, completed)).toEqual(apply(started, completed));
  expect(apply(started, completed, started).lastEventId).toBe(2);
});

it('leaves no preview behind when a turn ends', () => {
  const interrupted: EndUserEvent = { id: 3, type: 'turn.interrupted', data: { turn_id: 't' } };
  const conversation = apply(started, delta(0, 'One'), interrupted);
  expect(lines(conversation)).toEqual(['Hello done']);
  expect(conversation.conversation.status).toBe('idle');
});

it('has to be read again after a truncation or a gap, and ignores what it does not know', () => {
  const truncated: EndUserEvent = { id: 3, type: 'conversation.truncated', data: { after_message_id: 'a' } };
  expect(apply(started, delta(0, 'One'), truncated)).toMatchObject({ preview: null, isIncomplete: true });
  expect(apply(started, { id: undefined, type: 'stream.gap', data: { from: 1, to: 2 } }).isIncomplete).toBe(
    true,
  );
  const unknown = { id: 9, type: 'tool.started', data: {} } as unknown as EndUserEvent;
  expect(apply(started, unknown)).toMatchObject({
    conversation: { status: 'running' },
    lastEventId: 9,
    isIncomplete: false,
  });
});

it('drops what a new branch takes the place of, and reads again what it cannot know', () => {
  const branched = (after: string | null, turn: string | null): EndUserEvent => ({
    id: 4,
    type: 'conversation.branched',
    data: { branch_id: 'b', after_message_id: after, turn_id: turn },
  });
  const [user] = apply(started, completed).conversation.messages;
  const kept = apply(started, completed, branched(user?.id ?? '', 't2'));
  expect(lines(kept)).toEqual(['Hello done']);
  expect(kept.isIncomplete).toBe(false);
  expect(lines(apply(started, completed, branched(null, 't2')))).toEqual([]);
  expect(apply(started, completed, branched('x', 't2')).isIncomplete).toBe(true);
  expect(apply(started, completed, branched(null, null)).isIncomplete).toBe(true);
});

it('shows what was written meanwhile above the reply that is still being written', () => {
  const note: EndUserEvent = { id: 2, type: 'message.operator', data: { message: message('p', 'Ann here') } };
  expect(lines(apply(started, delta(0, 'One'), note))).toEqual([
    'Hello done',
    'Ann here done',
    'One streaming',
  ]);
});

it('says that a turn failed until the next one starts, and whether a person was asked', () => {
  const error = { code: 'INTERNAL', message: 'It failed.', retryable: true } as const;
  const failed: EndUserEvent = { id: 2, type: 'turn.failed', data: { turn_id: 't', error } };
  const asked: EndUserEvent = {
    id: 3,
    type: 'conversation.needs_human',
    data: { needs_human: true, taken_over: false },
  };
  expect(apply(started, failed, asked)).toMatchObject({
    conversation: { status: 'idle', needs_human: true },
    failure: 'INTERNAL',
  });
  expect(apply(started, failed, { ...started, id: 4 })).toMatchObject({
    conversation: { status: 'running' },
    failure: null,
  });
});

it.each([
  [{ run: {} }, 'running', 'interrupted'],
  [{ call: {} }, 'idle', 'idle'],
])('has the status of a run or a call, if it is one: %j', (of, running, ended) => {
  const state = stateOf({ ...empty.conversation, ...of }, 0);
  const after = applyEvent(state, started);
  expect(after.conversation.status).toBe(running);
  const interrupted: EndUserEvent = { id: 3, type: 'turn.interrupted', data: { turn_id: 't' } };
  expect(applyEvent(after, interrupted).conversation.status).toBe(ended);
});
