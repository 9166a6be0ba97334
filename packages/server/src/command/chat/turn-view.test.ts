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
    author_name: null,
    created_at: at,
  };
  show({ id: 4, type: 'conversation.needs_human', data: { needs_human: { at, reason: 'Wants a refund' } } });
  const usage = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0 };
  const completed = { turn_id: 't', message_id: null, usage, cost_usd: '0', handed_off: true };
  show({ id: 6, type: 'turn.completed', data: completed });
  show({ id: 7, type: 'message.operator', data: { message } });
  show({
    id: 8,
    type: 'message.operator',
    data: { message: { ...message, author_name: 'Ann', content: 'Granted.' } },
  });
  show({ id: 9, type: 'conversation.needs_human', data: { needs_human: null } });
  expect(said).toEqual([
    'A person was asked to take over: Wants a refund',
    'A person will answer; the bot does not.',
    'A person writes: Ann here.',
    'Ann writes: Granted.',
    'The conversation no longer waits for a person: the bot answers again.',
  ]);
});
