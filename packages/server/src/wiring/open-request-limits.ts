import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import type { Log } from '../lib/log.ts';
import { createInsuredCounter } from '../limits/insured-counter.ts';
import { requestCountStore } from '../limits/limits.store.ts';
import { createMemoryCounter } from '../limits/memory-counter.ts';
import { createPostgresCounter } from '../limits/postgres-counter.ts';
import { createRedisCounter } from '../limits/redis-counter.ts';
import { rememberRefusals } from '../limits/remember-refusals.ts';
import type { RequestCounter } from '../limits/request-counter.ts';
import { createRequestLimits, type RequestLimits } from '../limits/request-limits.ts';
import { openRedis } from '../redis/open-redis.ts';
import type { SecretBox } from '../secrets/secret-box.ts';

/** Without PostgreSQL most requests fail anyway, so it may take longer. */
const defaultMaxMilliseconds = { Redis: 200, PostgreSQL: 1_000 };

export interface OpenRequestLimitsOptions {
  config: Pick<Config, 'redisUrl' | 'rateLimitPerMinute'>;
  database: Database;
  box: SecretBox;
  log: Log;
  /** This is the only process, so it can count in its memory. */
  isAlone: boolean;
  /** How long a request may wait for its count; by default 200 ms for Redis and a second for PostgreSQL. */
  maxCountMilliseconds?: number | undefined;
}

export interface OpenedRequestLimits {
  limits: RequestLimits;
  /** Deletes counts whose window is over. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

/** Limits on requests, counted by all processes together. */
export function openRequestLimits(options: OpenRequestLimitsOptions): OpenedRequestLimits {
  const { config, database, box, log, isAlone, maxCountMilliseconds } = options;
  const { redisUrl, rateLimitPerMinute: perMinute } = config;
  const limitsOf = (counter: RequestCounter) =>
    createRequestLimits({ counter, perMinute, keyedHash: box.keyedHash });
  const insured = (store: keyof typeof defaultMaxMilliseconds, shared: RequestCounter) =>
    rememberRefusals(
      createInsuredCounter({
        shared,
        local: createMemoryCounter(),
        store,
        maxMilliseconds: maxCountMilliseconds ?? defaultMaxMilliseconds[store],
        log,
      }),
    );
  const nothing = async () => undefined;

  if (redisUrl) {
    const redis = openRedis({ url: redisUrl });
    const limits = limitsOf(insured('Redis', createRedisCounter(redis)));
    return { limits, sweep: nothing, close: redis.close };
  }
  if (isAlone) return { limits: limitsOf(createMemoryCounter()), sweep: nothing, close: nothing };
  const { counting, acrossWorkspaces } = database;
  return {
    limits: limitsOf(insured('PostgreSQL', createPostgresCounter(counting, requestCountStore))),
    sweep: () => requestCountStore.deleteExpiredAcrossWorkspaces(acrossWorkspaces),
    close: nothing,
  };
}
