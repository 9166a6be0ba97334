import { expect, it } from 'vitest';
import { actionsFor, matching, objectEntries, pageOf, pastedId } from './palette-entries.ts';

const id = '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e95';
const everyone = () => true;

it('finds entries by every word, those that begin with it first', () => {
  const bots = [
    { id: '1', name: 'My support', bot_type: 'chatbot' as const },
    { id: '2', name: 'Support', bot_type: 'chatbot' as const },
    { id: '3', name: 'Restocker', bot_type: 'agent' as const },
  ];
  const entries = objectEntries({ bots, tools: [], knowledge: [], machines: [] }, everyone);
  const labels = (text: string) => matching(entries, text, 9).map(({ label }) => label);
  expect(labels('support')).toEqual(['Support', 'My support']);
  expect(labels('run rest')).toEqual(['Run Restocker…']);
  expect(labels('nothing')).toEqual([]);
});

it('offers only what the role may do', () => {
  const forViewers = actionsFor((role) => role === 'viewer').map(({ label }) => label);
  expect(forViewers).not.toContain('New bot');
  expect(forViewers).toContain('Show hand-offs');
});

it('recognizes a pasted id, and where its object is', () => {
  expect(pastedId(` ${id.toUpperCase()}\n`)).toBe(id);
  expect(pastedId('order 17')).toBeUndefined();
  const conversation = { type: 'conversation' as const, id, title: 'x', conversation_id: id };
  expect(pageOf({ ...conversation, message_id: '7' })).toEqual({
    path: `/conversations/${id}`,
    search: { message: '7' },
  });
  expect(pageOf({ type: 'approval', id, title: 'x' }).path).toBe(`/approvals/${id}`);
});
