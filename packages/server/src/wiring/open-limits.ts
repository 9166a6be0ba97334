import { createInsuredCounter } from '../limits/insured-counter.ts';
import { messageCountStore, requestCountStore } from '../limits/limits.store.ts';
import { createMemoryCounter } from '../limits/memory-counter.ts';
import { createMessageCounter } from '../limits/message-counter.ts';
import { createPostgresCounter } from '../limits/postgres-counter.ts';
import { createRedisCounter } from '../limits/redis-counter.ts';
import { rememberRefusals } from '../limits/remember-refusals.ts';
import type { RequestCounter } from '../limits/request-counter.ts';
import { createRequestLimits, type RequestLimits } from '../limits/request-limits.ts';
import { openRedis } from '../redis/open-redis.ts';
import type { Feature, Round, Services } from '../services.ts';

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
  const { database, isAlone, config } = options;
  const { counting, acrossWorkspaces } = database;
  const messageCounter = createMessageCounter(createPostgresCounter(counting, messageCountStore));
  const messageCounts: Round = {
    name: 'message counts',
    everyMilliseconds: 60_000,
    work: () => messageCountStore.deleteExpiredAcrossWorkspaces(acrossWorkspaces),
  };
  if (config.redisUrl) {
    const redis = openRedis({ url: config.redisUrl });
    const limits = limitsOn(insured('Redis', createRedisCounter(redis), options), options);
    return { services: { limits, messageCounter }, rounds: [messageCounts], close: redis.close };
  }
  if (isAlone) {
    const limits = limitsOn(createMemoryCounter(), options);
    return { services: { limits, messageCounter }, rounds: [messageCounts] };
  }
  const shared = createPostgresCounter(counting, requestCountStore);
  return {
    services: { limits: limitsOn(insured('PostgreSQL', shared, options), options), messageCounter },
    rounds: [
      messageCounts,
      {
        name: 'request counts',
        everyMilliseconds: 60_000,
        work: () => requestCountStore.deleteExpiredAcrossWorkspaces(acrossWorkspaces),
      },
    ],
  };
}

function limitsOn(counter: RequestCounter, { config, box }: OpenLimitsOptions): RequestLimits {
  return createRequestLimits({ counter, perMinute: config.rateLimitPerMinute, keyedHash: box.keyedHash });
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
