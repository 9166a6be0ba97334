import { randomBytes } from 'node:crypto';
import { createClient } from '@redis/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { newId } from '../../src/lib/new-id.ts';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { eventually } from '../support/chat.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { conversationOf, type NodePair, type Reading, shown, startNodePair } from './node-pair.ts';

interface Recorded {
  channel: string;
  text: string;
}

/** An attacker who can connect to Redis, and to nothing else. */
type Attacker = Awaited<ReturnType<typeof connectAttacker>>;

let redis: RedisServer;
let pair: NodePair;
let attacker: Attacker;
beforeAll(async () => {
  redis = await startRedisServer();
  const environment = { REDIS_URL: redis.url };
  pair = await startNodePair({ environments: [environment, environment] });
  attacker = await connectAttacker();
});
beforeEach(async () => {
  for (const node of [pair.a, pair.b])
    await eventually(async () => (await node.call('GET /readyz')).body.notes ?? []).toEqual([]);
});
afterAll(async () => {
  attacker.close();
  await pair.stop();
  await redis.stop();
});

async function connectAttacker() {
  const [publishing, listening] = [createClient({ url: redis.url }), createClient({ url: redis.url })];
  await Promise.all([publishing.connect(), listening.connect()]);
  const recorded: Recorded[] = [];
  await listening.pSubscribe('svc:*', (text, channel) => void recorded.push({ channel, text }));
  return {
    recorded,
    /** Resolves to how many connections have received it. */
    publish: (channel: string, text: string) => publishing.publish(channel, text),
    close() {
      publishing.destroy();
      listening.destroy();
    },
  };
}

/** A turn on A, its reply so far, and a reader on B that shows it. */
async function begin() {
  const sender = pair.send(pair.a);
  const conversationId = await conversationOf(sender);
  const reader = pair.follow(pair.b, conversationId);
  const reply = await pair.model.next();
  reply.write('One');
  await eventually(() => shown(reader)).toBe('One');
  return { sender, reader, reply, conversationId };
}

/** What follows a forged message on the same channel has arrived, so that message would have, too. */
async function finish({ sender, reader, reply }: Awaited<ReturnType<typeof begin>>): Promise<void> {
  reply.write(' two');
  await eventually(() => shown(reader)).toBe('One two');
  reply.finish();
  await sender.stream.closed;
  await pair.expectWhole(reader);
}

const textsOf = ({ stream }: Reading) => JSON.stringify(stream.events);
const channelOf = (conversationId: string) => `svc:conversation:${conversationId}`;
const refusals = ({ logged }: NodePair['a']) =>
  logged.filter((line) => line.includes('in Redis was dropped'));

describe('whoever can publish in Redis', () => {
  it('cannot write into a conversation', async () => {
    const turn = await begin();
    const { reader, conversationId } = turn;
    const isOne = (one: Recorded) => one.channel === channelOf(conversationId) && one.text.includes('One');
    await eventually(() => attacker.recorded.some(isOne)).toBe(true);
    const genuine = attacker.recorded.find(isOne)?.text ?? '';
    const head = genuine.slice(0, genuine.indexOf(' '));
    const message = { id: newId(), role: 'assistant', content: 'Send your card number to evil.example.' };
    const events = [
      { type: 'message.completed', sequence: 3, turnId: null, at: new Date(), data: { message } },
      { type: 'stream.snapshot', sequence: null, turnId: null, data: { message_id: newId(), text: 'evil' } },
    ];
    // As a later message of the node, or the first of another one, with a code of the same form.
    const [name, key, number, , code] = head.split('/');
    const later = `${name}/${key}/${Number(number) + 1}/${Date.now()}/${code}`;
    const ofAnother = `${newId()}/${key}/1/${Date.now()}/${code}`;
    for (const sender of [ofAnother, later, newId(), head, head.replace(/.$/, 'x'), `${head}/`, '']) {
      const received = await attacker.publish(
        channelOf(conversationId),
        `${sender} ${JSON.stringify(events)}`,
      );
      expect(received, 'B and the attacker').toBeGreaterThanOrEqual(2);
    }
    await attacker.publish(channelOf(conversationId), genuine.replace('One', 'Two'));
    await finish(turn);
    expect(textsOf(reader)).not.toMatch(/evil|Two/);
  });

  it('cannot repeat what a node has sent, there or in another conversation', async () => {
    const first = await begin();
    await finish(first);
    const second = await begin();
    const seen = second.reader.stream.events.length;
    const ofFirst = attacker.recorded.filter(({ channel }) => channel === channelOf(first.conversationId));
    expect(ofFirst.length).toBeGreaterThan(2);
    const before = first.reader.stream.events.length;
    for (const { channel, text } of ofFirst) {
      expect(await attacker.publish(channel, text)).toBeGreaterThanOrEqual(2);
      expect(await attacker.publish(channelOf(second.conversationId), text)).toBeGreaterThanOrEqual(2);
    }
    const { message_id: shownId } = second.reader.stream.events.at(-1)?.data ?? {};
    await finish(second);
    expect(first.reader.stream.events.length).toBe(before);
    const previews = second.reader.stream.events.slice(seen).flatMap(({ data }) => data.message_id ?? []);
    expect(new Set(previews)).toEqual(new Set([shownId]));
  });

  it('cannot make a node take over the work of another that is alive', async () => {
    const turn = await begin();
    const query = pair.store.database.acrossWorkspaces;
    const nodes = async () => (await query.execute(sql`select id from nodes order by id`)).rows;
    const owners = async () =>
      (
        await query.execute(
          sql`select node_id, fence from turns where conversation_id = ${turn.conversationId}`,
        )
      ).rows;
    const before = [await nodes(), await owners()];
    const [{ node_id: owner }] = (await owners()) as [{ node_id: string }];
    expect(
      await attacker.publish('svc:node gone:any', `${newId()} ${JSON.stringify(owner)}`),
    ).toBeGreaterThanOrEqual(3);
    await finish(turn);
    expect(await nodes()).toEqual(before[0]);
    expect(textsOf(turn.reader)).not.toContain('turn.interrupted');
    expect(await owners()).toEqual(before[1]);
  });

  it('is noticed: one line an hour says so', async () => {
    const turn = await begin();
    for (let round = 0; round < 20; round += 1)
      await attacker.publish(channelOf(turn.conversationId), 'x []');
    await finish(turn);
    const forged = refusals(pair.b).filter((line) => line.includes('no node with our encryption key'));
    expect(forged).toHaveLength(1);
    expect(forged[0]).not.toContain('evil');
  });
});

describe('a notification of PostgreSQL', () => {
  const notify = (channel: string, payload: string) =>
    pair.store.database.acrossWorkspaces.execute(sql`select pg_notify(${channel}, ${payload})`);

  it('does not stop a turn that nobody has asked to stop', async () => {
    const turn = await begin();
    const query = pair.store.database.acrossWorkspaces;
    const { rows } = await query.execute(
      sql`select id from turns where conversation_id = ${turn.conversationId}`,
    );
    await notify('svc_turn_stop', `${(rows[0] as { id: string }).id} forged`);
    await finish(turn);
    expect(textsOf(turn.reader)).not.toContain('turn.interrupted');
    const other = await begin();
    const body = { conversation_id: other.conversationId };
    expect(await pair.b.call('POST /api/v1/chat/stop', { body })).toMatchObject({ body: { stopped: true } });
  });

  it('does not end the streams of a key that works, nor the readers of a conversation that exists', async () => {
    const turn = await begin();
    const query = pair.store.database.acrossWorkspaces;
    const { rows } = await query.execute(sql`select id from account_keys`);
    for (const { id } of rows as { id: string }[]) await notify('svc_key_revoked', id);
    await notify('svc_conversations_erased', turn.conversationId);
    await finish(turn);
    expect(turn.reader.stream.isClosed()).toBe(false);
  });
});

it('nodes that cannot open each other’s messages still show whole messages, in both directions', async () => {
  const environment = { REDIS_URL: redis.url };
  const apart = await startNodePair({
    environments: [environment, environment],
    keyRings: [createKeyRing(randomBytes(32)), createKeyRing(randomBytes(32))],
  });
  onTestFinished(() => apart.stop());
  for (const [from, to] of [
    [apart.a, apart.b],
    [apart.b, apart.a],
  ] as const) {
    const sender = apart.send(from);
    const reader = apart.follow(to, await conversationOf(sender));
    const reply = await apart.model.next();
    reply.write('Whole.');
    reply.finish();
    await sender.stream.closed;
    await apart.expectWhole(reader);
    expect(reader.names()).not.toContain('message.delta');
  }
});
