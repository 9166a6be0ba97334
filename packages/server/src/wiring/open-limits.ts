import { createInsuredCounter } from '../limits/insured-counter.ts';
import { messageCountStore, requestCountStore } from '../limits/limits.store.ts';
import { createMemoryCounter } from '../limits/memory-counter.ts';
import { createMessageCounter } from '../limits/message-counter.ts';
import { createPostgresCounter } from '../limits/postgres-counter.ts';
import { createRedisCounter } from '../limits/redis-counter.ts';
import { rememberRefusals } from '../limits/remember-refusals.ts';
import type { RequestCounter } from '../limits/request-counter.ts';
import { createRequestLimits } from '../limits/request-limits.ts';
import { openRedis } from '../redis/open-redis.ts';
import type { Feature, Services } from '../services.ts';

/** Without PostgreSQL most requests fail anyway, so it may take longer. */
const defaultMaxMilliseconds = { Redis: 200, PostgreSQL: 1_000 };

export interface OpenLimitsOptions extends Pick<Services, 'box' | 'config' | 'database' | 'log'> {
  /** This is the only process, so it can count in its memory. */
  isAlone: boolean;
  /** How long a request may wait for its count; by default 200 ms for Redis and a second for PostgreSQL. */
  maxCountMilliseconds: number | undefined;
}

/** Limits on requests, counted by all processes together, and the durable count of end users' messages. */
export function openLimits(options: OpenLimitsOptions): Feature<Pick<Services, 'limits' | 'messageCounter'>> {
  const { database, isAlone, config, box } = options;
  const { counting, acrossWorkspaces } = database;
  const redis = config.redisUrl ? openRedis({ url: config.redisUrl }) : undefined;
  const stores = redis || isAlone ? [messageCountStore] : [messageCountStore, requestCountStore];
  const counter = redis
    ? insured('Redis', createRedisCounter(redis), options)
    : isAlone
      ? createMemoryCounter()
      : insured('PostgreSQL', createPostgresCounter(counting, requestCountStore), options);
  return {
    services: {
      limits: createRequestLimits({
        counter,
        perMinute: config.rateLimitPerMinute,
        keyedHash: box.keyedHash,
      }),
      messageCounter: createMessageCounter(createPostgresCounter(counting, messageCountStore)),
    },
    rounds: stores.map((store) => ({
      name: store === messageCountStore ? 'message counts' : 'request counts',
      everyMilliseconds: 60_000,
      work: () => store.deleteExpiredAcrossWorkspaces(acrossWorkspaces),
    })),
    ...(redis && { close: redis.close }),
  };
}

/** Counts in memory while the shared store does not answer in time. */
function insured(
  store: keyof typeof defaultMaxMilliseconds,
  shared: RequestCounter,
  { maxCountMilliseconds, log }: OpenLimitsOptions,
): RequestCounter {
  return rememberRefusals(
    createInsuredCounter({
      shared,
      local: createMemoryCounter(),
      store,
      maxMilliseconds: maxCountMilliseconds ?? defaultMaxMilliseconds[store],
      log,
    }),
  );
}
