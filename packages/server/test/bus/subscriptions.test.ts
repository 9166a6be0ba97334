import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createClient } from '@redis/client';
import { expect, it, onTestFinished } from 'vitest';
import type { RedisClient } from '../../src/redis/open-redis.ts';
import { createSubscriptions } from '../../src/redis/subscriptions.ts';
import { until } from '../support/faults/until.ts';
import { startRedisServer } from '../support/redis-server.ts';

it('keeps a subscription that is made before the end of an earlier one is confirmed', async () => {
  const server = await startRedisServer();
  onTestFinished(server.stop);
  const proxy = await startHoldingProxy(server.port);
  onTestFinished(proxy.close);
  const client: RedisClient = createClient({
    socket: { host: '127.0.0.1', port: proxy.port, reconnectStrategy: false },
  });
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.destroy());
  const wanted = new Set<string>(['a']);
  const received: string[] = [];
  const subscriptions = createSubscriptions({
    client,
    wanted,
    onText: (_channel, text) => received.push(text),
  });
  await subscriptions.start();

  proxy.hold(2);
  const change = (isWanted: boolean) => {
    if (isWanted) wanted.add('a');
    else wanted.delete('a');
    return subscriptions.update('a');
  };
  const changes = [change(false), change(true), change(false)];
  // The first two confirmations have arrived when the last change is made; the third has not.
  await Promise.race([Promise.all(changes), changes[1]]);
  const last = change(true);
  proxy.release();
  await Promise.all([...changes, last]);
  await client.ping();
  await server.command('PUBLISH', 'a', 'text');
  await until('it arrives', () => received.length > 0);
  expect(await server.command('PUBSUB', 'NUMSUB', 'a')).toEqual(['a', 1]);
});

/** Passes everything on; after `hold`, only so many confirmations until `release`. */
async function startHoldingProxy(target: number) {
  const sockets = new Set<Socket>();
  let allowed = Number.POSITIVE_INFINITY;
  let held: string[] = [];
  let client: Socket | undefined;
  const pass = () => {
    while (held.length > 0 && allowed > 0) {
      client?.write(held.shift() ?? '');
      allowed -= 1;
    }
  };
  const proxy = createServer((incoming) => {
    client = incoming;
    const outgoing = connect(target, '127.0.0.1');
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    incoming.on('data', (bytes) => outgoing.write(bytes));
    outgoing.on('data', (bytes) => {
      // Confirmations and messages are pushes of three parts.
      held.push(...bytes.toString().split(/(?=>3\r\n)/));
      pass();
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    port: (proxy.address() as AddressInfo).port,
    hold(count: number) {
      allowed = count;
    },
    release() {
      allowed = Number.POSITIVE_INFINITY;
      pass();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      held = [];
    },
  };
}
