import type { Bus } from '../bus/bus.ts';
import { createBus } from '../bus/create-bus.ts';
import type { Transport } from '../bus/transport.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';

export interface OpenBusOptions {
  config: Pick<Config, 'redisUrl'>;
  /** Connects the processes of this machine; not used with Redis, which connects all of them. */
  transport?: Transport;
  log: Log;
}

/** The bus to all processes that this one can reach. */
export function openBus({ transport, log }: OpenBusOptions): Bus {
  return createBus({ log, ...(transport && { transport }) });
}
