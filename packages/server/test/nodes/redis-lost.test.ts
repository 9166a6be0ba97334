import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { newId } from '../../src/lib/new-id.ts';
import { eventually } from '../support/chat.ts';
import { startTcpProxy, type TcpProxy } from '../support/faults/tcp-proxy.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { conversationOf, type NodePair, shown, startNodePair } from './node-pair.ts';

const environmentOf = ({ port }: TcpProxy) => ({ REDIS_URL: `redis://127.0.0.1:${port}` });

let redis: RedisServer;
/** Between each node and Redis. */
let proxies: [a: TcpProxy, b: TcpProxy];
let pair: NodePair;
beforeAll(async () => {
  redis = await startRedisServer();
  const connectToRedis = () => connect(redis.port, '127.0.0.1');
  proxies = [await startTcpProxy(connectToRedis), await startTcpProxy(connectToRedis)];
  pair = await startNodePair({
    environments: [environmentOf(proxies[0]), environmentOf(proxies[1])],
  });
});
beforeEach(() => together());
afterAll(async () => {
  await pair.stop();
  for (const proxy of proxies) await proxy.close();
  await redis.stop();
});

const notesOf = async (node: NodePair['a']) => (await node.call('GET /readyz')).body.notes ?? [];
async function together(): Promise<void> {
  for (const node of [pair.a, pair.b]) await eventually(() => notesOf(node)).toEqual([]);
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

const faults = {
  'Redis is killed': {
    lose: () => redis.kill(),
    restore: () => redis.restart(),
    notes: ['Redis cannot be reached', 'Redis cannot be reached'],
  },
  'the node with the turn loses its connection': {
    lose: async () => proxies[0].set('cut'),
    restore: async () => proxies[0].set('open'),
    notes: ['Redis cannot be reached', 'Another node is not connected'],
  },
  'the node with the reader loses its connection': {
    lose: async () => proxies[1].set('cut'),
    restore: async () => proxies[1].set('open'),
    notes: ['Another node is not connected', 'Redis cannot be reached'],
  },
};

describe.each(Object.entries(faults))('when %s during a reply', (_name, { lose, restore, notes }) => {
  it('readers get whole messages by polling, and previews again afterwards, without a hole or a duplicate', async () => {
    const { sender, reader, reply, conversationId } = await begin();
    await lose();
    await eventually(async () => [await notesOf(pair.a), await notesOf(pair.b)].flat()).toEqual(
      notes.map((note) => expect.stringContaining(note)),
    );
    reply.write(' two');
    await eventually(() => shown(sender)).toBe('One two');
    reply.write(' three.');
    reply.finish();
    await sender.stream.closed;
    await pair.expectWhole(reader);
    const second = pair.send(pair.a, { conversation_id: conversationId });
    await conversationOf(second);
    const unseen = await pair.model.next();
    unseen.write('Four');
    await eventually(() => shown(second)).toBe('Four');
    expect(shown(reader)).toBe('');

    await restore();
    await together();
    unseen.write(' five');
    await eventually(() => shown(reader)).toBe('Four five');
    unseen.write(' six.');
    unseen.finish();
    await second.stream.closed;
    await pair.expectWhole(reader);
  });
});

it('a preview continues after a short interruption', async () => {
  const { sender, reader, reply } = await begin();
  proxies[1].set('cut');
  reply.write(' two');
  await eventually(() => shown(sender)).toBe('One two');
  proxies[1].set('open');
  await eventually(() => shown(reader)).toBe('One two');
  reply.write(' three.');
  reply.finish();
  await sender.stream.closed;
  await pair.expectWhole(reader);
});

it('readers get what a node wrote but could not publish before it died', async () => {
  const { sender, reader, reply, conversationId } = await begin();
  reply.write('.');
  reply.finish();
  await sender.stream.closed;
  await pair.expectWhole(reader);
  const query = pair.store.database.acrossWorkspaces;
  const dying = newId();
  const notify = () => query.execute(sql`select pg_notify('svc_nodes', ${dying})`);
  await query.execute(sql`insert into nodes (id) values (${dying})`);
  await notify();
  for (const node of [pair.a, pair.b]) await eventually(() => notesOf(node)).toHaveLength(1);
  // Now both nodes know it. From here on it is on their bus, so they do not poll.
  await query.execute(sql`update nodes set reach = (select max(reach) from nodes) where id = ${dying}`);
  await notify();
  await together();
  await sleep(1_500);
  const event = { type: 'conversation.needs_human', data: { needs_human: null } };
  await query.execute(
    sql`select append_events(${conversationId}, null, ${JSON.stringify([event])}, null, 0)`,
  );
  await query.execute(sql`delete from nodes where id = ${dying}`);
  await pair.expectWhole(reader);
});
