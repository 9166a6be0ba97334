import type { Bus } from '../bus/bus.ts';
import { createBus } from '../bus/create-bus.ts';
import { createRedisTransport } from '../bus/redis-transport.ts';
import type { Transport } from '../bus/transport.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';

export interface OpenBusOptions {
  config: Pick<Config, 'redisUrl'>;
  /** Connects the processes of this machine; not used with Redis, which connects all of them. */
  transport?: Transport;
  log: Log;
}

/** The bus to all processes that this one can reach. Does not wait for a connection. */
export function openBus({ config, transport, log }: OpenBusOptions): Bus {
  const chosen = config.redisUrl ? createRedisTransport({ url: config.redisUrl, log }) : transport;
  return createBus({ log, ...(chosen && { transport: chosen }) });
}
