import type { Bus } from '../bus/bus.ts';
import type { Transport } from '../bus/bus-transport.ts';
import { createBus } from '../bus/create-bus.ts';
import { createRedisTransport } from '../bus/redis-transport.ts';
import type { SigningOptions } from '../bus/signing.ts';
import type { Config } from '../config/config.ts';
import type { Log } from '../lib/log.ts';

export interface OpenBusOptions extends SigningOptions {
  config: Pick<Config, 'redisUrl'>;
  log: Log;
  /** Connects the processes of this machine; not used with Redis, which connects all of them. */
  transport?: Transport;
}

/** The bus to all processes that this one can reach. Does not wait for a connection. */
export function openBus(options: OpenBusOptions): Bus {
  const { config, log, transport } = options;
  const { redisUrl: url } = config;
  return createBus({ log, transport: url ? createRedisTransport(url, options) : transport });
}
