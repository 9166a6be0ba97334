import { expect, it } from 'vitest';
import { createTurnView } from './turn-view.ts';

it('tells of people who are asked for and who come', () => {
  const said: string[] = [];
  const nothing = () => undefined;
  const show = createTurnView({ say: (line) => void said.push(line), write: nothing, endReply: nothing });
  const at = '2026-11-15T09:30:00.000Z';
  const message = {
    id: 'm',
    role: 'operator' as const,
    content: 'Ann here.',
    tool_calls: [],
    tool_call_id: null,
    citations: [],
    interrupted: false,
    created_at: at,
  };
  show({ id: 4, type: 'conversation.needs_human', data: { needs_human: { at, reason: 'Wants a refund' } } });
  show({ id: 5, type: 'message.operator', data: { message } });
  show({ id: 6, type: 'conversation.needs_human', data: { needs_human: null } });
  expect(said).toEqual([
    'A person was asked to take over: Wants a refund',
    'A person writes: Ann here.',
    'The conversation no longer waits for a person.',
  ]);
});
