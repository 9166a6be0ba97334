import { randomBytes } from 'node:crypto';
import { afterEach } from 'vitest';
import type { Bus, TopicKind } from '../../src/bus/bus.ts';
import { createLog } from '../../src/lib/log.ts';
import { createKeyRing, type KeyRing } from '../../src/secrets/key-ring.ts';
import { openBus } from '../../src/wiring/open-bus.ts';
import { type RedisServer, type RedisServerOptions, startRedisServer } from '../support/redis-server.ts';

export interface Chunk {
  text: string;
  isPreview?: boolean;
}

export const chunks: TopicKind<Chunk> = {
  name: 'chunks',
  preview: {
    includes: ({ isPreview }) => isPreview === true,
    join: (earlier, later) => ({ text: earlier.text + later.text, isPreview: true }),
  },
};

export interface Collector {
  received: string[];
  losses: number;
  onMessage(message: Chunk, from: 'here' | 'elsewhere'): void;
  onLost(): void;
}

/** Collects what arrives from elsewhere. */
export function createCollector(): Collector {
  return {
    received: [],
    losses: 0,
    onMessage({ text }, from) {
      if (from === 'elsewhere') this.received.push(text);
    },
    onLost() {
      this.losses += 1;
    },
  };
}

const sharedKeyRing = createKeyRing(randomBytes(32));

export interface BusSettings {
  /** By default, one that all buses share. */
  keyRing?: KeyRing;
  now?: () => number;
}

/** Starts servers and buses that end with the test. */
export function useBuses() {
  const endings: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of endings.splice(0).toReversed()) await end();
  });
  return {
    async server(options?: RedisServerOptions): Promise<RedisServer> {
      const server = await startRedisServer(options);
      endings.push(server.stop);
      return server;
    },
    bus(
      redisUrl: string,
      log = createLog({ level: 'silent', readable: false }),
      settings: BusSettings = {},
    ): Bus {
      const bus = openBus({ config: { redisUrl }, keyRing: sharedKeyRing, log, ...settings });
      endings.push(() => bus.close());
      return bus;
    },
  };
}
