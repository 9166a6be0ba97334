import type { Bus } from '../bus/bus.ts';
import type { Transport } from '../bus/bus-transport.ts';
import { createBus } from '../bus/create-bus.ts';
import { createRedisTransport, type RedisTransportOptions } from '../bus/redis-transport.ts';
import type { Config } from '../config/config.ts';

export interface OpenBusOptions extends Omit<RedisTransportOptions, 'url'> {
  config: Pick<Config, 'redisUrl'>;
  /** Connects the processes of this machine; not used with Redis, which connects all of them. */
  transport?: Transport;
}

/** The bus to all processes that this one can reach. Does not wait for a connection. */
export function openBus({ config, transport, ...options }: OpenBusOptions): Bus {
  const { redisUrl: url } = config;
  const chosen = url ? createRedisTransport({ ...options, url }) : transport;
  return createBus({ log: options.log, ...(chosen && { transport: chosen }) });
}
