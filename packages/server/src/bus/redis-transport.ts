import type { Log } from '../log.ts';
import { newId } from '../new-id.ts';
import { openRedis, type Redis, type RedisClient } from '../redis/open-redis.ts';
import { createSubscriptions, type Subscriptions } from '../redis/subscriptions.ts';
import type { Transport, TransportHandlers } from './transport.ts';

const prefix = 'svc:';
/** Its value is what all processes on this Redis report as their reach. */
const reachKey = `${prefix}reach`;
/** When more than this is unanswered, Redis does not keep up, and what is unsent is dropped. */
const maxUnansweredCharacters = 16_000_000;
/** What a command costs in memory besides its text. */
const commandCharacters = 500;

interface Connection {
  client: RedisClient;
  subscriptions: Subscriptions;
}

/** Publishes and subscribes on one connection, so that Redis handles both in the order of the calls. */
export function createRedisTransport({ url, log }: { url: string; log: Log }): Transport {
  const joined = new Set<string>();
  let redis: Redis | undefined;
  let connection: Connection | undefined;
  let reach = '';
  let unanswered = 0;

  /** Stores the proposal if Redis has no value, or has lost it. */
  async function readReach(client: RedisClient, proposal: string): Promise<string> {
    const known = await client.get(reachKey);
    if (known !== null) return known;
    await client.set(reachKey, proposal, { condition: 'NX' });
    return (await client.get(reachKey)) ?? proposal;
  }

  async function connect(client: RedisClient, handlers: TransportHandlers): Promise<void> {
    const subscriptions = createSubscriptions({
      client,
      wanted: joined,
      onText: (channel, text) => handlers.onText(channel.slice(prefix.length), text),
    });
    const own = { client, subscriptions };
    connection = own;
    [reach] = await Promise.all([readReach(client, newId()), subscriptions.start()]);
    if (connection === own) handlers.onConnected(reach);
  }

  /** Failures while connected mean that Redis refuses the command; the reason is then logged as that of an outage. */
  function fail(failed: Connection, error: unknown): void {
    if (connection === failed) redis?.reconnect(error as Error);
  }

  async function update(channel: string): Promise<void> {
    const current = connection;
    await current?.subscriptions.update(prefix + channel).catch((error: unknown) => fail(current, error));
  }

  return {
    start(handlers) {
      redis = openRedis({
        url,
        log,
        onConnected: (client) => connect(client, handlers),
        onDisconnected() {
          connection = undefined;
          handlers.onDisconnected();
        },
        async check(client) {
          if ((await readReach(client, reach)) !== reach) throw new Error('Redis has other data now.');
        },
      });
    },
    async send(channel, text) {
      const current = connection;
      if (!current) return undefined;
      if (unanswered > maxUnansweredCharacters) {
        redis?.reconnect(new Error('Redis does not keep up.'));
        return undefined;
      }
      const own = current.subscriptions.has(prefix + channel) ? 1 : 0;
      const cost = text.length + commandCharacters;
      unanswered += cost;
      try {
        return Number(await current.client.sendCommand(['PUBLISH', prefix + channel, text])) - own;
      } catch (error) {
        fail(current, error);
        return undefined;
      } finally {
        unanswered -= cost;
      }
    },
    join(channel) {
      joined.add(prefix + channel);
      return update(channel);
    },
    leave(channel) {
      joined.delete(prefix + channel);
      void update(channel);
    },
    async close() {
      await redis?.close();
      connection = undefined;
    },
  };
}
