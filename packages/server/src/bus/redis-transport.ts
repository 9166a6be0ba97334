import { createHourlyWarnings } from '../lib/hourly-warnings.ts';
import type { Log } from '../lib/log.ts';
import { newId } from '../lib/new-id.ts';
import { openRedis, type Redis, type RedisClient } from '../redis/open-redis.ts';
import { createSubscriptions, type Subscriptions } from '../redis/subscriptions.ts';
import type { Transport, TransportHandlers } from './bus-transport.ts';
import { createSigning, type SigningOptions } from './signing.ts';

const prefix = 'svc:';
/** Its value is what all processes on this Redis report as their reach. */
const reachKey = `${prefix}reach`;
/** When more than this is unanswered, Redis does not keep up, and what is unsent is dropped. */
const maxUnansweredCharacters = 16_000_000;
/** What a command costs in memory besides its text. */
const commandCharacters = 500;
/** What nodes whose clocks differ tell each other is lost, which is reported this long after the first of several texts. */
const lossMilliseconds = 1_000;

interface Connection {
  client: RedisClient;
  subscriptions: Subscriptions;
}

/**
 * Publishes and subscribes on one connection, so that Redis handles both in the order of the calls. Whoever can connect to
 * Redis can publish too, so texts are signed, and those of others are dropped.
 */
export function createRedisTransport(
  url: string,
  { log, ...options }: SigningOptions & { log: Log },
): Transport {
  const signing = createSigning(options);
  const warnHourly = createHourlyWarnings(log);
  const refusedCounts = { forged: 0, repeated: 0, untimely: 0 };
  const joined = new Set<string>();
  let redis: Redis | undefined;
  let connection: Connection | undefined;
  /** What Redis has as its value. */
  let stored = '';
  let unanswered = 0;
  let reportingLoss: NodeJS.Timeout | undefined;

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
      onText: (channel, text) => receive(handlers, channel.slice(prefix.length), text),
    });
    const own = { client, subscriptions };
    connection = own;
    [stored] = await Promise.all([readReach(client, newId()), subscriptions.start()]);
    if (connection === own) handlers.onConnected(reach());
  }

  /** Processes that sign with different keys may not understand each other, and releases that do not sign are not believed. */
  function reach(): string {
    return `${stored} ${signing.keyName}`;
  }

  function receive(handlers: TransportHandlers, channel: string, text: string): void {
    const opened = signing.open(channel, text);
    if ('text' in opened) return handlers.onText(channel, opened.text);
    const { refused } = opened;
    if (refused === 'own') return;
    refusedCounts[refused] += 1;
    warnHourly(refused, { channel, refused: { ...refusedCounts } }, refusals[refused]);
    if (refused === 'untimely')
      reportingLoss ??= setTimeout(() => {
        reportingLoss = undefined;
        if (connection) handlers.onConnected(reach());
      }, lossMilliseconds).unref();
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
          if ((await readReach(client, stored)) !== stored) throw new Error('Redis has other data now.');
          if (signing.renew() && connection) handlers.onConnected(reach());
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
      const signed = signing.sign(channel, text);
      const cost = signed.length + commandCharacters;
      unanswered += cost;
      try {
        return Number(await current.client.sendCommand(['PUBLISH', prefix + channel, signed])) - own;
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
      clearTimeout(reportingLoss);
      await redis?.close();
      connection = undefined;
    },
  };
}

/** Logged at most once an hour each, with how often it has happened since the start. */
const refusals = {
  forged:
    'A message in Redis was dropped because no node with our encryption key has sent it to this channel: ' +
    'another program publishes there, or a node has another SVC_ENCRYPTION_KEY or an earlier release.',
  repeated: 'A message in Redis was dropped because it came again, or after a later one of the same node.',
  untimely:
    'A message in Redis was dropped because it is too old or from the future: another program has repeated it, ' +
    'or the clocks of the nodes differ by more than 30 seconds.',
};
