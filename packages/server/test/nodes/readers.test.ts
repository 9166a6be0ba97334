import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/chat.ts';
import { conversationOf, type NodePair, shown, startNodePair } from './node-pair.ts';

/** What a reader on one node sees of turns on another. Without Redis there is no preview, and nothing else is missing. */
describe('without Redis', () => {
  let pair: NodePair;
  beforeEach(async () => {
    pair = await startNodePair();
  });
  afterEach(() => pair.stop());

  it('a reader on another node gets whole messages within about a second', async () => {
    const { a, b, model } = pair;
    const sender = pair.send(a);
    const conversationId = await conversationOf(sender);
    const reader = pair.follow(b, conversationId);
    const reply = await model.next();
    reply.write('Hello ', 'there.');
    await eventually(() => shown(sender)).toBe('Hello there.');
    reply.finish();
    await sender.stream.closed;
    const endedAt = performance.now();
    await pair.expectWhole(reader);
    expect(performance.now() - endedAt).toBeLessThan(5_000);
    expect(reader.names()).toEqual(['turn.started', 'message.completed', 'turn.completed']);
  });
});
