import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { makeAskingBot } from '../support/asking-bot.ts';
import { eventually } from '../support/chat.ts';
import { until } from '../support/faults/until.ts';
import type { PlayedReply } from '../support/hand-played-model.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { conversationOf, type NodePair, type Reading, shown, startNodePair } from './node-pair.ts';

let redis: RedisServer;
let pair: NodePair;
let readings: Reading[] = [];
beforeAll(async () => {
  redis = await startRedisServer();
});
afterAll(() => redis.stop());
afterEach(() => {
  for (const { stream } of readings.splice(0)) stream.destroy();
});

const keep = (reading: Reading): Reading => {
  readings.push(reading);
  return reading;
};
const follow = (...given: Parameters<NodePair['follow']>) => keep(pair.follow(...given));
const send = (...given: Parameters<NodePair['send']>) => keep(pair.send(...given));

/** A turn on node A whose reply has begun. */
async function begin(body?: Parameters<NodePair['send']>[1], headers = {}) {
  const sender = send(pair.a, body, headers);
  const conversationId = await conversationOf(sender);
  const reply = await pair.model.next();
  reply.write('Hello');
  await eventually(() => shown(sender)).toBe('Hello');
  return { sender, conversationId, reply };
}

function finish(reply: PlayedReply): void {
  reply.write(' there', '.');
  reply.finish();
}

const oneTurn = ['turn.started', 'message.completed', 'turn.completed'];
const numbered = ({ view }: Reading) => view.durable.map(({ event }) => event);

describe.each([
  { mode: 'with Redis', hasRedis: true },
  { mode: 'without Redis', hasRedis: false },
])('a reader on another node, $mode', ({ hasRedis }) => {
  beforeAll(async () => {
    const environment: Record<string, string> = hasRedis ? { REDIS_URL: redis.url } : {};
    pair = await startNodePair({ environments: [environment, environment] });
    const notes = async () => (await pair.a.call('GET /readyz')).body.notes?.join() ?? '';
    await until(
      'they are connected, or known to be apart',
      async () => ((await notes()) === '') === hasRedis,
    );
  });
  afterAll(() => pair.stop());

  it('sees a turn like one on its own node, with previews only if there is Redis', async () => {
    const { sender, conversationId, reply } = await begin();
    const late = follow(pair.b, conversationId);
    if (hasRedis) await eventually(() => shown(late)).toBe('Hello');
    reply.write(' there');
    await eventually(() => shown(sender)).toBe('Hello there');
    if (hasRedis) await eventually(() => shown(late)).toBe('Hello there');
    const later = follow(pair.b, conversationId);
    if (hasRedis) await eventually(() => shown(later)).toBe('Hello there');
    reply.write('.');
    reply.finish();
    await sender.stream.closed;
    for (const reader of [late, later]) await pair.expectWhole(reader);
    const [started = '', ...others] = oneTurn;
    if (!hasRedis) expect(late.names()).toEqual(oneTurn);
    else
      expect(late.names().filter((name) => name !== 'message.delta')).toEqual([
        started,
        'stream.snapshot',
        ...others,
      ]);
  });

  it('sees turns that start after it has become idle', async () => {
    const first = await begin();
    finish(first.reply);
    await first.sender.stream.closed;
    const { conversationId } = first;
    const reader = follow(pair.b, conversationId);
    await eventually(() => numbered(reader)).toEqual(oneTurn);
    const second = await begin({ conversation_id: conversationId });
    if (hasRedis) await eventually(() => shown(reader)).toBe('Hello');
    finish(second.reply);
    await second.sender.stream.closed;
    await pair.expectWhole(reader);
    expect(numbered(reader)).toEqual([...oneTurn, ...oneTurn]);
    expect(reader.names()).not.toContain('stream.snapshot');
  });

  it('sees a turn resume that was approved on the other node, where it then runs', async () => {
    const botId = await makeAskingBot(pair.a, {});
    const { sender, conversationId, reply } = await begin({ bot_id: botId });
    const readers = [follow(pair.a, conversationId), follow(pair.b, conversationId)];
    reply.callTool('announce', { title: 'x' });
    await sender.stream.closed;
    const [approvalId] = sender.stream.events.at(-1)?.data.approval_ids ?? [];
    const answered = await pair.b.call(`POST /api/v1/hitl/${approvalId}/respond`, {
      body: { action: 'deny', text: 'Not now.' },
    });
    expect(answered).toMatchObject({ status: 200 });
    const resumed = await pair.model.next();
    resumed.write('Fine');
    if (hasRedis) for (const reader of readers) await eventually(() => shown(reader)).toBe('Fine');
    resumed.finish();
    for (const reader of readers) {
      await eventually(() => numbered(reader)).toContain('turn.completed');
      await pair.expectWhole(reader);
    }
  });

  it('sees what operators write on either node, and so does the sender while the turn runs', async () => {
    const { sender, conversationId, reply } = await begin();
    const reader = follow(pair.b, conversationId);
    const write = (node: NodePair['a'], content: string) =>
      node.call(`POST /api/v1/conversations/${conversationId}/messages`, { body: { content } });
    expect(await write(pair.b, 'from B')).toMatchObject({ status: 201 });
    expect(await write(pair.a, 'from A')).toMatchObject({ status: 201 });
    for (const { view } of [sender, reader]) {
      const operators = () => view.durable.filter(({ event }) => event === 'message.operator');
      await eventually(() => operators().map(({ data }) => data.message.content)).toEqual([
        'from B',
        'from A',
      ]);
    }
    finish(reply);
    await sender.stream.closed;
    await pair.expectWhole(reader);
  });

  it('sees a truncation', async () => {
    const { sender, conversationId, reply } = await begin();
    finish(reply);
    await sender.stream.closed;
    const reader = follow(pair.b, conversationId);
    await eventually(() => numbered(reader)).toEqual(oneTurn);
    const message_id = sender.stream.events[0]?.data.user_message.id;
    const truncated = await pair.a.call(`POST /api/v1/conversations/${conversationId}/truncate`, {
      body: { message_id },
    });
    expect(truncated).toMatchObject({ status: 200 });
    await eventually(() => numbered(reader)).toEqual([...oneTurn, 'conversation.truncated']);
    expect(reader.view.faults).toEqual([]);
  });

  it('attaches to a running turn with the Idempotency-Key of its send', async () => {
    const headers = { 'idempotency-key': `k-${hasRedis}` };
    const { sender, reply } = await begin({}, headers);
    const repeat = send(pair.b, {}, headers);
    if (hasRedis) await eventually(() => shown(repeat)).toBe('Hello');
    finish(reply);
    await sender.stream.closed;
    await repeat.stream.closed;
    await pair.expectWhole(repeat);
    expect(repeat.view.durable).toEqual(sender.view.durable);
  });
});

it('a node with Redis and one without work together: whole messages in both directions', async () => {
  pair = await startNodePair({ environments: [{ REDIS_URL: redis.url }, {}] });
  onTestFinished(() => pair.stop());
  for (const [from, to] of [
    [pair.a, pair.b],
    [pair.b, pair.a],
  ] as const) {
    const sender = send(from);
    const reader = follow(to, await conversationOf(sender));
    finish(await pair.model.next());
    await sender.stream.closed;
    await pair.expectWhole(reader);
    expect(reader.names()).toEqual(oneTurn);
  }
  const notes = async (node: NodePair['a']) => (await node.call('GET /readyz')).body.notes;
  expect(await notes(pair.a)).toEqual([expect.stringContaining('Another node is not connected')]);
  expect(await notes(pair.b)).toEqual([expect.stringContaining('REDIS_URL is not set')]);
  const warnings = ({ logged }: NodePair['a']) => logged.filter((line) => line.includes('without a preview'));
  for (const node of [pair.a, pair.b]) await eventually(() => warnings(node).length).toBe(1);
});
