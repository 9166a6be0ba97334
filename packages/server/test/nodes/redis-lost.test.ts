import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/chat.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { conversationOf, type NodePair, shown, startNodePair } from './node-pair.ts';

/** A connection to Redis that the test can interrupt. */
async function startRedisProxy(port: number) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    if (isCut) return void client.destroy();
    const upstream = connect(port, '127.0.0.1');
    for (const [socket, peer] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        sockets.delete(socket);
        peer.destroy();
      });
      socket.pipe(peer);
    }
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const proxyPort = typeof address === 'object' && address ? address.port : 0;
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `redis://127.0.0.1:${proxyPort}`,
    cut,
    mend() {
      isCut = false;
    },
    close() {
      cut();
      server.close();
    },
  };
}

type Proxy = Awaited<ReturnType<typeof startRedisProxy>>;

let redis: RedisServer;
let proxies: [a: Proxy, b: Proxy];
let pair: NodePair;
beforeAll(async () => {
  redis = await startRedisServer();
  proxies = [await startRedisProxy(redis.port), await startRedisProxy(redis.port)];
  pair = await startNodePair({
    environments: [{ REDIS_URL: proxies[0].url }, { REDIS_URL: proxies[1].url }],
  });
});
beforeEach(() => together());
afterAll(async () => {
  await pair.stop();
  for (const proxy of proxies) proxy.close();
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
    lose: async () => proxies[0].cut(),
    restore: async () => proxies[0].mend(),
    notes: ['Redis cannot be reached', 'Another node is not connected'],
  },
  'the node with the reader loses its connection': {
    lose: async () => proxies[1].cut(),
    restore: async () => proxies[1].mend(),
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
  proxies[1].cut();
  reply.write(' two');
  await eventually(() => shown(sender)).toBe('One two');
  proxies[1].mend();
  await eventually(() => shown(reader)).toBe('One two');
  reply.write(' three.');
  reply.finish();
  await sender.stream.closed;
  await pair.expectWhole(reader);
});
