import type { FullEvent } from '@svc/client/conversation';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTurnView } from './turn-view.ts';

const delta = (id: string, offset: number, text: string): FullEvent => ({
  id: undefined,
  type: 'message.delta',
  data: { message_id: id, offset, text },
});
const snapshot = (id: string, text: string): FullEvent => ({
  id: undefined,
  type: 'stream.snapshot',
  data: { message_id: id, text },
});
const completed = (id: string, content: string, eventId = 1) =>
  ({
    id: eventId,
    type: 'message.completed',
    data: { message: { id, role: 'assistant', content, tool_calls: [] } },
  }) as unknown as FullEvent;

/** What stands on the screen after these, with a mark where something was taken back. */
function screen(...events: FullEvent[]): string {
  let shown = '';
  const show = createTurnView({
    write: (text) => {
      shown += text;
    },
    say: () => {
      shown += '|';
    },
    endReply: () => undefined,
  });
  events.forEach(show);
  return shown;
}

describe('the text of a reply', () => {
  it('grows by its deltas', () => {
    expect(screen(delta('m', 0, 'Hel'), delta('m', 3, 'lo'), completed('m', 'Hello'))).toBe('Hello');
  });

  it('shows what deltas missed when the snapshot or the whole message brings it', () => {
    const shown = [delta('m', 0, 'He'), delta('m', 4, 'o'), snapshot('m', 'Hell')];
    expect(screen(...shown, delta('m', 2, 'llo'), completed('m', 'Hello!'))).toBe('Hello!');
  });

  it('takes back what a crash took back, and what turned out different', () => {
    const taken = [delta('a', 0, 'Lost'), snapshot('a', ''), delta('b', 0, 'New')];
    expect(screen(...taken)).toBe('Lost|New');
    expect(screen(...taken, completed('b', 'Other'))).toBe('Lost|New|Other');
  });

  it('does not grow any more once it is whole', () => {
    expect(screen(completed('m', 'Done'), delta('m', 4, '?'), snapshot('m', 'Do'))).toBe('Done');
  });

  it('is exact whatever was cut, sent twice or joined late', () => {
    const step = fc.record({ isSnapshot: fc.boolean(), from: fc.nat(40), length: fc.nat(10) });
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.array(step), (reply, steps) => {
        let sent = 0; // A snapshot holds every delta that was sent before it.
        const events = steps.map(({ isSnapshot, from, length }) => {
          sent = Math.max(sent, Math.min(from + length, reply.length));
          return isSnapshot
            ? snapshot('m', reply.slice(0, sent))
            : delta('m', from, reply.slice(from, from + length));
        });
        expect(screen(...events, completed('m', reply))).toBe(reply);
      }),
    );
  });
});

it('names tools by their calls, even those that were denied before they started', () => {
  const said: string[] = [];
  const nothing = () => undefined;
  const show = createTurnView({ say: (line) => void said.push(line), write: nothing, endReply: nothing });
  const calls = [
    { id: 'k', name: 'refund', arguments: {}, executed_arguments: null },
    { id: 'l', name: 'find_order', arguments: {}, executed_arguments: null },
  ];
  const proposed = { id: 'm', role: 'assistant', content: '', tool_calls: calls };
  show({ id: 1, type: 'message.completed', data: { message: proposed } } as unknown as FullEvent);
  const denied = { tool_call_id: 'k', status: 'denied' as const, result: 'No.', duration_ms: 0 };
  show({ id: 2, type: 'tool.completed', data: denied });
  show({ id: undefined, type: 'tool.progress', data: { tool_call_id: 'l', text: 'half' } });
  show({ id: undefined, type: 'tool.progress', data: { tool_call_id: 'x', text: 'half' } });
  expect(said).toEqual(['← refund denied, 0.0 s: No.', '  find_order: half', '  tool: half']);
});

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
  const ended = { turn_id: 't', message_id: null, usage, cost_usd: '0', handed_off: true };
  show({ id: 6, type: 'turn.completed', data: ended });
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
