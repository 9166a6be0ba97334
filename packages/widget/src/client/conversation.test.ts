import { expect, it } from 'vitest';
import { applyEvent, type Conversation, emptyConversation, type VisitorEvent } from './conversation.ts';

const message = (id: string, content: string, role: 'user' | 'assistant' = 'assistant') => ({
  id,
  role,
  content,
  citations: [],
  author_name: null,
  interrupted: false,
  created_at: '2026-11-16T09:00:00.000Z',
});
const delta = (offset: number, text: string) =>
  ({ id: undefined, type: 'message.delta', data: { message_id: 'b', offset, text } }) as const;
const snapshot = (text: string) =>
  ({ id: undefined, type: 'stream.snapshot', data: { message_id: 'b', text } }) as const;
const started: VisitorEvent = {
  id: 1,
  type: 'turn.started',
  data: { turn_id: 't', conversation_id: 'c', bot_id: 'x', user_message: message('a', 'Hello', 'user') },
};
const completed: VisitorEvent = {
  id: 2,
  type: 'message.completed',
  data: { message: message('b', 'One two') },
};

function apply(...events: VisitorEvent[]): Conversation | undefined {
  let conversation: Conversation | undefined = emptyConversation;
  for (const event of events) conversation &&= applyEvent(conversation, event);
  return conversation;
}
const lines = (conversation: Conversation | undefined) =>
  conversation?.messages.map(({ text, state }) => `${text} ${state}`);

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
  expect(lines(apply(started, delta(0, 'One'), snapshot('One two')))?.at(-1)).toBe('One two streaming');
  expect(lines(apply(started, delta(0, 'One'), snapshot('')))).toEqual(['Hello done']);
  expect(lines(apply(started, completed, snapshot('')))).toEqual(['Hello done', 'One two done']);
});

it('applies every stored event once', () => {
  expect(apply(started, completed, started, completed)).toEqual(apply(started, completed));
  expect(apply(started, completed, started)?.lastEvent).toBe(2);
});

it('leaves no preview behind when a turn ends', () => {
  const interrupted: VisitorEvent = { id: 3, type: 'turn.interrupted', data: { turn_id: 't' } };
  const conversation = apply(started, delta(0, 'One'), interrupted);
  expect(lines(conversation)).toEqual(['Hello done']);
  expect(conversation?.status).toBe('idle');
});

it('has to be read again after a truncation or a gap, and ignores what it does not know', () => {
  expect(apply(started, { id: 3, type: 'conversation.truncated', data: { after_message_id: 'a' } })).toBe(
    undefined,
  );
  expect(apply(started, { id: undefined, type: 'stream.gap', data: { from: 1, to: 2 } })).toBe(undefined);
  const unknown = { id: 9, type: 'tool.started', data: {} } as unknown as VisitorEvent;
  expect(apply(started, unknown)).toMatchObject({ status: 'running', lastEvent: 9 });
});
