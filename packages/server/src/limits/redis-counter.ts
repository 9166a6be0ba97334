import { createHash } from 'node:crypto';
import type { Redis, RedisClient } from '../redis/open-redis.ts';
import { type RequestCounter, toCounted } from './request-counter.ts';

/** The keys are quotas, each with its limit and its window in milliseconds. Runs as a whole, so nothing comes in between. */
const addScript = createScript(`
local uses = {}
local admitted = 1
for index, key in ipairs(KEYS) do
  local count = tonumber(redis.call('get', key) or 0)
  local left = redis.call('pttl', key)
  local window = tonumber(ARGV[2 * index])
  -- More time left than a whole window means that the clock was set back.
  if left < 0 or left > window then
    count = 0
    left = window
  end
  if count >= tonumber(ARGV[2 * index - 1]) then admitted = 0 end
  uses[2 * index - 1] = count
  uses[2 * index] = left
end
if admitted == 1 then
  for index, key in ipairs(KEYS) do
    if uses[2 * index - 1] == 0 then
      redis.call('set', key, 0, 'px', uses[2 * index])
    end
    uses[2 * index - 1] = redis.call('incr', key)
  end
end
return {admitted, unpack(uses)}
`);

/** The key is a quota, with the time that was left: if more is left now, another window has started. */
const takeBackScript = createScript(`
local left = redis.call('pttl', KEYS[1])
if left >= 0 and left <= tonumber(ARGV[1]) and tonumber(redis.call('get', KEYS[1])) > 0 then
  redis.call('decr', KEYS[1])
end
`);

const keyOf = (name: string) => `svc:requests:${name}`;

/** Counts in Redis, by its clock, in one round trip per request. */
export function createRedisCounter(redis: Pick<Redis, 'client'>): RequestCounter {
  function connection(): RedisClient {
    if (!redis.client) throw new Error('There is no connection to Redis.');
    return redis.client;
  }
  return {
    async add(quotas) {
      const keys = quotas.map(({ name }) => keyOf(name));
      const limits = quotas.flatMap(({ limit, windowSeconds }) => [limit, windowSeconds * 1000]);
      const [admitted, ...numbers] = (await run(connection(), addScript, keys, limits)) as number[];
      const uses = quotas.map((_, index) => ({
        count: numbers[2 * index] ?? 0,
        millisecondsLeft: numbers[2 * index + 1] ?? 0,
      }));
      return toCounted(admitted === 1, quotas, uses);
    },
    async takeBack({ quota, millisecondsLeft }) {
      await run(connection(), takeBackScript, [keyOf(quota.name)], [millisecondsLeft]);
    },
  };
}

type Script = ReturnType<typeof createScript>;

function createScript(text: string) {
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

async function run(client: RedisClient, script: Script, keys: string[], numbers: number[]): Promise<unknown> {
  const options = { keys, arguments: numbers.map(String) };
  try {
    return await client.evalSha(script.sha, options);
  } catch (error) {
    // A Redis that was started or flushed has not seen the script yet.
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return client.eval(script.text, options);
  }
}
