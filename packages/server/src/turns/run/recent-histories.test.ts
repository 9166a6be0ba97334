import { expect, it } from 'vitest';
import { textMessage } from '../../conversations/conversations.service.ts';
import { newId } from '../../lib/new-id.ts';
import { createRecentHistories } from './recent-histories.ts';

const said = (sequence: number, content: string) => ({
  ...textMessage(newId(), sequence % 3 === 1 ? 'user' : 'assistant', content, new Date()),
  sequence,
});
const row = (id: string, lastSequence: number, summaryThrough = 0, operatorSequence = 0) => ({
  id,
  lastSequence,
  operatorSequence,
  summary: summaryThrough ? 'Notes.' : null,
  summaryThrough,
});

it('gives back what was kept while nothing else happened in the conversation', () => {
  const recent = createRecentHistories();
  const messages = [said(1, 'Hi'), said(2, 'Hello'), said(4, 'And?'), said(5, 'So.')];
  recent.keep('a', messages);
  expect(recent.recall(row('a', 6))).toEqual({ summary: null, messages });
  expect(recent.recall(row('a', 6, 2))).toEqual({ summary: 'Notes.', messages: messages.slice(2) });
  expect(recent.recall(row('a', 7))).toBeUndefined();
  expect(recent.recall(row('b', 6))).toBeUndefined();
});

it('does not give back what lacks the words that a person wrote while the turn ran', () => {
  const recent = createRecentHistories();
  recent.keep('a', [said(1, 'Hi'), said(2, 'Hello'), said(4, 'And?'), said(6, 'So.')]);
  expect(recent.recall(row('a', 7, 0, 5))).toBeUndefined();
  // Known before the turn began, or removed since.
  expect(recent.recall(row('a', 7, 0, 3))).toBeDefined();
  const operator = { ...said(5, 'I am here.'), role: 'operator' as const };
  recent.keep('a', [said(1, 'Hi'), said(2, 'Hello'), said(4, 'And?'), operator, said(6, 'So.')]);
  expect(recent.recall(row('a', 7, 0, 5))?.messages).toContain(operator);
});

it('keeps no more than it may, and drops what was used longest ago', () => {
  const recent = createRecentHistories({ characters: 10, conversations: 100 });
  recent.keep('a', [said(2, '12345')]);
  recent.keep('b', [said(2, '12345')]);
  recent.keep('a', [said(2, '12345')]);
  recent.keep('c', [said(2, '12345')]);
  const known = ['a', 'b', 'c'].filter((id) => recent.recall(row(id, 3)));
  expect(known).toEqual(['a', 'c']);
  recent.keep('d', [said(2, 'more than ten characters')]);
  expect(['a', 'b', 'c', 'd'].filter((id) => recent.recall(row(id, 3)))).toEqual(['a', 'c']);
});

it('keeps no more conversations than it may, however short', () => {
  const recent = createRecentHistories({ characters: 1_000, conversations: 2 });
  for (const id of ['a', 'b', 'c']) recent.keep(id, [said(2, 'x')]);
  expect(['a', 'b', 'c'].filter((id) => recent.recall(row(id, 3)))).toEqual(['b', 'c']);
});
