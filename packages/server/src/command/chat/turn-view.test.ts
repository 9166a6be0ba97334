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
    sayLines: () => undefined,
    busy: () => undefined,
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

  it('is shown once even if the next reply begins before its end is known', () => {
    const overtaken = [delta('a', 0, 'First'), delta('b', 0, 'Sec'), delta('a', 5, '!')];
    expect(
      screen(...overtaken, completed('a', 'First!'), delta('b', 3, 'ond'), completed('b', 'Second', 2)),
    ).toBe('FirstSec!ond');
    expect(screen(delta('a', 0, 'First'), delta('b', 0, 'Second'), completed('a', 'First'))).toBe(
      'FirstSecond',
    );
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
  const show = createTurnView({
    say: (line) => void said.push(line),
    sayLines: (lines) => void said.push(...lines.map(({ text, style }) => `${style}: ${text}`)),
    write: nothing,
    endReply: nothing,
    busy: nothing,
  });
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
  const show = createTurnView({
    say: (line) => void said.push(line),
    sayLines: (lines) => void said.push(...lines.map(({ text, style }) => `${style}: ${text}`)),
    write: nothing,
    endReply: nothing,
    busy: nothing,
  });
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
    rating: null,
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

const started = (id: string, name: string, given: object, type = 'coding'): FullEvent => ({
  id: undefined,
  type: 'tool.started',
  data: { tool_call_id: id, tool_name: name, tool_type: type, arguments: { ...given } },
});
const progress = (id: string, text: string): FullEvent => ({
  id: undefined,
  type: 'tool.progress',
  data: { tool_call_id: id, text },
});
const ended = (id: string, result: unknown, status: 'ok' | 'error' = 'ok'): FullEvent => ({
  id: undefined,
  type: 'tool.completed',
  data: { tool_call_id: id, status, result, duration_ms: 1_200 },
});

function saidBy(...events: FullEvent[]): { said: string[]; busy: (string | undefined)[] } {
  const said: string[] = [];
  const busy: (string | undefined)[] = [];
  const nothing = () => undefined;
  const show = createTurnView({
    say: (line) => void said.push(line),
    sayLines: (lines) => void said.push(...lines.map(({ text, style }) => `${style}: ${text}`)),
    write: nothing,
    endReply: nothing,
    busy: (text) => void busy.push(text),
  });
  events.forEach(show);
  return { said, busy };
}

describe('a command', () => {
  const run = started('k', 'run_command', { command: 'npm test' });

  it('that fails is not ok, although it ran', () => {
    expect(saidBy(run, ended('k', { exit_code: 1, output: 'one\ntwo\n' })).said).toEqual([
      '→ run_command npm test',
      'dim:   │ one',
      'dim:   │ two',
      '← run_command failed with exit code 1, 1.2 s',
    ]);
    expect(saidBy(run, ended('k', { exit_code: 0, output: '' })).said.at(-1)).toBe('← run_command ok, 1.2 s');
  });

  it('is shown line by line while it runs, and not again at its end', () => {
    const pieces = ['on', 'e\ntw', 'o\r\nthr', 'ee'].map((text) => progress('k', text));
    expect(saidBy(run, ...pieces, ended('k', { exit_code: 0, output: 'one\ntwo\nthree' })).said).toEqual([
      '→ run_command npm test',
      'dim:   │ one',
      'dim:   │ two',
      'dim:   │ three',
      '← run_command ok, 1.2 s',
    ]);
  });

  it('with much output shows the end of it', () => {
    const output = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n');
    const { said } = saidBy(run, ended('k', { exit_code: 2, output }));
    expect(said).toHaveLength(23);
    expect(said[1]).toBe('dim:   │ … 80 lines before this');
    expect(said.at(-2)).toBe('dim:   │ line 99');
  });

  it('is what the spinner says, until the model is asked again', () => {
    expect(saidBy(run, ended('k', null)).busy).toEqual(['run_command npm test', 'thinking']);
  });
});

it('a change of a file is shown as its diff, and a long one in part', () => {
  const edit = started('k', 'edit_file', { path: 'a.ts' });
  const diff = '--- a.ts\n+++ a.ts\n@@ -1 +1 @@\n-old\n+new\n same\n';
  expect(saidBy(edit, ended('k', { files: [{ path: 'a.ts', diff }] })).said.slice(1, -1)).toEqual([
    'bold:   │ --- a.ts',
    'bold:   │ +++ a.ts',
    'cyan:   │ @@ -1 +1 @@',
    'red:   │ -old',
    'green:   │ +new',
    'dim:   │  same',
  ]);
  const long = ended('k', { files: [{ path: 'a.ts', diff: '+x\n'.repeat(100) }] });
  expect(saidBy(edit, long).said.at(-2)).toBe('dim:   … 60 more lines: /diff shows all of it');
});

it('a call that was allowed before is said to run without a question', () => {
  const approval = {
    tool_name: 'run_command',
    arguments: { command: 'npm test' },
    status: 'approved',
    reason: null,
    grant_id: 'g',
  };
  const resolved = { id: 1, type: 'approval.resolved', data: { approval } } as unknown as FullEvent;
  expect(saidBy(resolved).said).toEqual([
    'run_command {"command":"npm test"} runs without asking, as was allowed.',
  ]);
});
