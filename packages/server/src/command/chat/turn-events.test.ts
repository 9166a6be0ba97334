import { describe, expect, it } from 'vitest';
import type { ServerEvent } from './server-events.ts';
import { ConnectionLost, ServiceRefused } from './service-errors.ts';
import { turnEvents } from './turn-events.ts';

type Step = ServerEvent | Error;

const event = (id: number | undefined, type: string): ServerEvent => ({
  id,
  type,
  data: { conversation_id: 'c' },
});
const started = event(1, 'turn.started');
const completed = event(5, 'turn.completed');

/** A service that plays one script per connection, and what was asked of it. */
function play(scripts: Step[][], waitsForApprovals = false) {
  const asked: string[] = [];
  const said: string[] = [];
  async function* stream(request: string): AsyncGenerator<ServerEvent> {
    asked.push(request);
    for (const step of scripts.shift() ?? [new Error('no script left')]) {
      if (step instanceof Error) throw step;
      yield step;
    }
  }
  const client = {
    send: (_message: object, key: string) => stream(`send ${key}`),
    follow: (conversationId: string, after: number) => stream(`follow ${conversationId} ${after}`),
  };
  const read = async () => {
    const message = { bot_id: 'b', message: 'Hello', external_user_id: 'u' };
    const say = (text: string) => void said.push(text);
    const { signal } = new AbortController();
    const types: string[] = [];
    for await (const { type } of turnEvents({ client, message, waitsForApprovals, say, signal }))
      types.push(type);
    return types;
  };
  return { read, asked, said };
}

describe('reading a turn', () => {
  it('follows from the last durable event when the connection breaks, and drops what it has seen', async () => {
    const lost = new ConnectionLost('The connection broke.');
    const { read, asked, said } = play([
      [started, event(undefined, 'message.delta'), lost],
      [started, event(undefined, 'stream.snapshot'), event(4, 'message.completed'), completed],
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
    const greeting = { id: 1, type: 'message.completed', data: {} };
    const begun = event(2, 'turn.started');
    const { read, asked } = play([
      [greeting, new ConnectionLost('Gone.')],
      [greeting, begun, completed],
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

  it('ends with a pause, or goes on behind it without a word', async () => {
    const paused = event(2, 'turn.paused');
    const ending = play([[started, paused]]);
    expect(await ending.read()).toEqual(['turn.started', 'turn.paused']);
    const waiting = play(
      [
        [started, paused],
        [event(3, 'turn.resumed'), completed],
      ],
      true,
    );
    expect(await waiting.read()).toEqual(['turn.started', 'turn.paused', 'turn.resumed', 'turn.completed']);
    expect(waiting.asked[1]).toBe('follow c 2');
    expect(waiting.said).toEqual([]);
  });
});
