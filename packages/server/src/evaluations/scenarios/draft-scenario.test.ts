import type { ConversationMessage } from '@svc/contract/conversations';
import { describe, expect, it } from 'vitest';
import { findStandIn } from '../stand-ins.ts';
import { draftScenario } from './draft-scenario.ts';

let count = 0;
function message(fields: Partial<ConversationMessage>): ConversationMessage {
  count += 1;
  return {
    id: `message-${count}`,
    role: 'user',
    content: '',
    tool_calls: [],
    tool_call_id: null,
    citations: [],
    interrupted: false,
    author_name: null,
    rating: null,
    created_at: '2026-11-15T09:30:00.000Z',
    ...fields,
  };
}

type Calls = Parameters<typeof draftScenario>[1];
const call = (id: string, fields: Partial<Calls[number]> = {}): Calls[number] => ({
  id,
  name: 'find_order',
  arguments: { number: '4711' },
  status: 'ok',
  ...fields,
});

const draft = (messages: ConversationMessage[], calls: Calls = []) =>
  draftScenario({ bot_id: 'bot', title: 'Where is order 4711?', messages }, calls);

const user = (content: string) => message({ content });
const answer = (content: string) => message({ role: 'assistant', content });
const result = (id: string, content: string) => message({ role: 'tool', tool_call_id: id, content });

describe('a conversation', () => {
  it('becomes turns, the answers to them, and stand-ins that return what the calls returned', () => {
    const messages = [
      user('Where is order 4711?'),
      answer('I look.'),
      result('one', '{"place":"Cologne"}'),
      answer('In Cologne.'),
      user('And the weather?'),
      result('two', 'Rain.'),
      answer('It rains.'),
    ];
    const calls = [call('one'), call('two', { name: 'weather', arguments: {} })];
    expect(draft(messages, calls)).toEqual({
      bot_id: 'bot',
      scenario: {
        name: 'Where is order 4711?',
        turns: ['Where is order 4711?', 'And the weather?'],
        expected_facts: [],
        must_call: ['find_order', 'weather'],
        must_not_call: [],
        stand_ins: [
          { function: 'find_order', arguments: { number: '4711' }, result: { place: 'Cologne' } },
          { function: 'weather', arguments: {}, result: 'Rain.' },
        ],
      },
      answers: ['In Cologne.', 'It rains.'],
      notes: [],
    });
  });

  it('keeps calls that failed as such', () => {
    const messages = [user('Refund it'), result('one', 'Denied.')];
    const denied = call('one', { arguments: { amount: 20 }, status: 'denied' });
    expect(draft(messages, [denied]).scenario).toMatchObject({
      must_call: [],
      stand_ins: [{ arguments: { amount: 20 }, result: 'Denied.', is_error: true }],
    });
  });

  it('puts stand-ins with more arguments first, so that each call gets its own result', () => {
    const messages = [user('Look'), result('one', 'all'), result('two', 'paid'), result('three', 'open')];
    const given = [{}, { state: 'paid' }, { state: 'open', page: 2 }];
    const calls = ['one', 'two', 'three'].map((id, index) => call(id, { arguments: given[index] ?? {} }));
    const { stand_ins: standIns } = draft(messages, calls).scenario;
    expect(given.map((one) => findStandIn(standIns, one)?.result)).toEqual(['all', 'paid', 'open']);
  });

  it('keeps the first result of equal calls, and none of a call without one', () => {
    const messages = [user('Again'), result('one', 'first'), result('two', 'second')];
    const { stand_ins: standIns } = draft(messages, [call('one'), call('two'), call('three')]).scenario;
    expect(standIns).toMatchObject([{ result: 'first' }]);
  });

  it('says what it leaves out', () => {
    const turns = Array.from({ length: 21 }, (_, turn) => user(`Message ${turn}`));
    const messages = [...turns.slice(0, 1), message({ role: 'operator', content: 'Hi' }), ...turns.slice(1)];
    const { scenario, notes } = draft([...messages, result('one', 'late')], [call('one')]);
    expect(scenario).toMatchObject({ turns: { length: 20 }, must_call: [], stand_ins: [] });
    expect(notes).toEqual([
      'Only the first 20 of 21 messages are kept.',
      'Messages of the team are left out: in a scenario the bot answers alone.',
    ]);
  });

  it('shortens results that would fill the scenario', () => {
    const { scenario, notes } = draft(
      [user('All'), result('one', `["${'x'.repeat(30_000)}"]`)],
      [call('one')],
    );
    expect(String(scenario.stand_ins[0]?.result)).toHaveLength(20_000);
    expect(notes).toEqual(['Results longer than 20000 characters are shortened.']);
  });
});
