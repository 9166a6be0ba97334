import type { FullEvent } from '@svc/client/conversation';
import type { ConversationMessage } from '@svc/contract/conversations';
import { describe, expect, it } from 'vitest';
import { ConnectionLost, ServiceRefused } from './service-errors.ts';
import { turnEvents } from './turn-events.ts';

type Step = FullEvent | Error;

const message: ConversationMessage = {
  id: 'm',
  role: 'assistant',
  content: 'Hello',
  tool_calls: [],
  tool_call_id: null,
  citations: [],
  interrupted: false,
  author_name: null,
  rating: null,
  created_at: '2026-11-15T09:30:00.000Z',
};
const usage = { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 };
const turn = { turn_id: 't', conversation_id: 'c', bot_id: 'b', user_message: message };
const startedAs = (id: number): FullEvent => ({ id, type: 'turn.started', data: turn });
const started = startedAs(1);
const delta: FullEvent = {
  id: undefined,
  type: 'message.delta',
  data: { message_id: 'm', offset: 0, text: 'He' },
};
const snapshot: FullEvent = {
  id: undefined,
  type: 'stream.snapshot',
  data: { message_id: 'm', text: 'Hel' },
};
const messageAs = (id: number): FullEvent => ({ id, type: 'message.completed', data: { message } });
const paused: FullEvent = { id: 2, type: 'turn.paused', data: { turn_id: 't', approval_ids: [] } };
const resumed: FullEvent = { id: 3, type: 'turn.resumed', data: { turn_id: 't' } };
const completed: FullEvent = {
  id: 5,
  type: 'turn.completed',
  data: { turn_id: 't', message_id: 'm', usage, cost_usd: '0', handed_off: false },
};

/** A service that plays one script per connection, and what was asked of it. */
function play(scripts: Step[][], waitsForApprovals = false) {
  const asked: string[] = [];
  const said: string[] = [];
  async function* stream(request: string): AsyncGenerator<FullEvent> {
    asked.push(request);
    for (const step of scripts.shift() ?? [new Error('no script left')]) {
      if (step instanceof Error) throw step;
      yield step;
    }
  }
  const client = {
    send: (_message: object, key: string) => stream(`send ${key}`),
    followConversation: (conversationId: string, after: number) =>
      stream(`follow ${conversationId} ${after}`),
  };
  const read = async () => {
    const sent = { bot_id: 'b', message: 'Hello', external_user_id: 'u' };
    const say = (text: string) => void said.push(text);
    const { signal } = new AbortController();
    const types: string[] = [];
    for await (const { type } of turnEvents({
      client,
      from: { message: sent },
      waitsForApprovals,
      say,
      signal,
    }))
      types.push(type);
    return types;
  };
  return { read, asked, said };
}

describe('reading a turn', () => {
  it('follows from the last durable event when the connection breaks, and drops what it has seen', async () => {
    const lost = new ConnectionLost('The connection broke.');
    const { read, asked, said } = play([
      [started, delta, lost],
      [started, snapshot, messageAs(4), completed],
    ]);
    expect(await read()).toEqual([
      'turn.started',
      'message.delta',
      'stream.snapshot',
      'message.completed',
      'turn.completed',
    ]);
    expect(asked[1]).toBe('follow c 1');
    expect(said).toEqual(['The connection broke. Trying again in 0.25 s (1 of 8).', 'Connected again.']);
  });

  it('repeats the send with the same key until the turn is known to have begun', async () => {
    const early = new ServiceRefused('IDEMPOTENCY_IN_PROGRESS', 'Still running.');
    const { read, asked } = play([[new ConnectionLost('Gone.')], [early], [started, completed]]);
    expect(await read()).toEqual(['turn.started', 'turn.completed']);
    expect(asked).toHaveLength(3);
    expect(new Set(asked).size).toBe(1);
  });

  it('repeats the send after a greeting, which does not say where the turn is', async () => {
    const greeting = messageAs(1);
    const { read, asked } = play([
      [greeting, new ConnectionLost('Gone.')],
      [greeting, startedAs(2), completed],
    ]);
    expect(await read()).toEqual(['message.completed', 'turn.started', 'turn.completed']);
    expect(asked[1]).toBe(asked[0]);
  });

  it('does not insist where the service says no', async () => {
    const refusal = new ServiceRefused('TURN_IN_PROGRESS', 'Not finished yet.');
    const { read, asked } = play([[refusal]]);
    await expect(read()).rejects.toBe(refusal);
    expect(asked).toHaveLength(1);
  });

  it('ends with a pause, or continues after it without a word', async () => {
    const ending = play([[started, paused]]);
    expect(await ending.read()).toEqual(['turn.started', 'turn.paused']);
    const waiting = play(
      [
        [started, paused],
        [resumed, completed],
      ],
      true,
    );
    expect(await waiting.read()).toEqual(['turn.started', 'turn.paused', 'turn.resumed', 'turn.completed']);
    expect(waiting.asked[1]).toBe('follow c 2');
    expect(waiting.said).toEqual([]);
  });
});
