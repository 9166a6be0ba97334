import type { RedisClient } from './open-redis.ts';

export interface SubscriptionsOptions {
  client: RedisClient;
  /** The channels to be subscribed to, which the caller changes. */
  wanted: ReadonlySet<string>;
  onText(channel: string, text: string): void;
}

export type Subscriptions = ReturnType<typeof createSubscriptions>;

/**
 * What one connection is subscribed to. At most one command per channel is under way: the client can lose a subscription that is
 * made while Redis has not yet confirmed the end of an earlier one.
 */
export function createSubscriptions({ client, wanted, onText }: SubscriptionsOptions) {
  const requested = new Set<string>();
  const updates = new Map<string, Promise<void>>();
  const listener = (text: string, channel: string) => onText(channel, text);

  async function apply(channel: string): Promise<void> {
    try {
      while (wanted.has(channel) !== requested.has(channel)) {
        if (requested.delete(channel)) await client.unsubscribe(channel, listener);
        else {
          requested.add(channel);
          await client.subscribe(channel, listener);
        }
      }
    } finally {
      updates.delete(channel);
    }
  }

  return {
    /** Whether commands that are sent now find the connection subscribed. */
    has: (channel: string): boolean => requested.has(channel),
    /** Subscribes to everything that is wanted. Called once, before anything else. */
    start(): Promise<void> {
      for (const channel of wanted) requested.add(channel);
      return client.subscribe([...wanted], listener);
    },
    /** Subscribes or unsubscribes as is wanted. Resolves when Redis has confirmed it, and fails if the connection is lost. */
    async update(channel: string): Promise<void> {
      const running = updates.get(channel);
      if (running) return running;
      if (wanted.has(channel) === requested.has(channel)) return;
      const update = apply(channel);
      updates.set(channel, update);
      return update;
    },
  };
}
