import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Database } from '../../src/database/database.ts';
import { createFrontDoor } from '../../src/http/front-door.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { createKeyRing, type KeyRing } from '../../src/secrets/key-ring.ts';
import { type Call, createCall } from './test-app.ts';

export interface TestNode {
  url: string;
  key: string;
  call: Call;
  /** Every line that was logged. */
  logged: string[];
  /** Stops the node and keeps the database. */
  stop(graceMs?: number): Promise<void>;
}

export interface TestNodeOptions {
  database: Database;
  environment?: Record<string, string>;
  clock?: Clock;
  scheduleEveryMilliseconds?: number;
  /** By default, one that all nodes share. */
  keyRing?: KeyRing;
  maxCountMilliseconds?: number;
}

const bootstrapKey = `svc_sk_${'k'.repeat(40)}`;
export const sharedKeyRing = createKeyRing(randomBytes(32));

/** The service on an existing database, for restarts and for several nodes. */
export async function startNode(options: TestNodeOptions): Promise<TestNode> {
  const { environment, ...given } = options;
  const config = readConfig({ PORT: '0', SVC_BOOTSTRAP_KEY: bootstrapKey, ...environment });
  const logged: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
  const door = createFrontDoor();
  const { port } = await door.listen(0, '127.0.0.1');
  const defaults = { keyRing: sharedKeyRing, clock: systemClock, scheduleEveryMilliseconds: 1_000 };
  const app = await createApp({ ...defaults, ...given, config, door, log });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    key: bootstrapKey,
    call: createCall(url, bootstrapKey),
    logged,
    stop: (graceMs = 1_000) => app.stop(graceMs),
  };
}
