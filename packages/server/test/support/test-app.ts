import { randomBytes } from 'node:crypto';
import type { Ability } from '@svc/contract/abilities';
import { pino } from 'pino';
import { type App, createApp } from '../../src/app.ts';
import { type Config, readConfig } from '../../src/config/config.ts';
import type { Connection, Database } from '../../src/database/database.ts';
import { createFrontDoor } from '../../src/http/front-door.ts';
import { createKeyCache } from '../../src/keys/key-cache.ts';
import { createKeyService } from '../../src/keys/keys.service.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { createWorkspaceService } from '../../src/workspaces/workspaces.service.ts';
import { makePasswordsCheap } from './cheap-passwords.ts';
import { createTestDatabase } from './test-database.ts';

makePasswordsCheap();

export interface TestApp {
  app: App;
  url: string;
  /** Every line that was logged. */
  logged: string[];
  /** A key with every ability in the default workspace. */
  key: string;
  database: Database;
  connection: Connection;
  encryptionKey: Buffer;
  config: Config;
  call: Call;
  /** A key of the default or another workspace. */
  makeKey(options?: { workspaceId?: string; abilities?: Ability[]; expiresAt?: Date }): Promise<string>;
  makeWorkspace(name?: string): Promise<{ id: string; key: string }>;
  stop(): Promise<void>;
}

export interface CallOptions {
  key?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
  /** Does not wait for the body, which may never end. */
  headOnly?: boolean;
}

export interface Answer {
  status: number;
  headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely
  body: any;
}

export type Call = (operation: string, options?: CallOptions) => Promise<Answer>;

export interface TestAppOptions {
  environment?: Record<string, string>;
  clock?: Clock;
  encryptionKey?: Buffer;
  scheduleEveryMilliseconds?: number;
  /** For tests that stop the clock: a node that is not alone counts itself as lost without its heartbeat. */
  isAlone?: boolean;
  /** For services whose own address is part of their configuration. */
  port?: number;
}

/** The real service on a real socket, with a database of its own. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const { connection, database, drop } = await createTestDatabase();
  const config = readConfig({ PORT: '0', ...options.environment });
  const { clock = systemClock, encryptionKey = randomBytes(32) } = options;
  const logged: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
  const door = createFrontDoor();
  const { port } = await door.listen(options.port ?? 0, '127.0.0.1');
  const app = await createApp({
    config,
    keyRing: createKeyRing(encryptionKey),
    database,
    door,
    log,
    clock,
    isAlone: options.isAlone ?? false,
    scheduleEveryMilliseconds: options.scheduleEveryMilliseconds ?? 1_000,
  });
  const url = `http://127.0.0.1:${port}`;
  const workspaces = createWorkspaceService({ database });
  const keys = createKeyService({ database, cache: createKeyCache(), clock });
  const workspaceId = (await workspaces.list())[0]?.id ?? '';
  const key = app.firstKey ?? config.bootstrapKey ?? '';

  return {
    app,
    url,
    logged,
    key,
    database,
    connection,
    encryptionKey,
    config,
    call: createCall(url, key),
    async makeKey(wanted = {}) {
      const granted = { workspaceId, name: 'test', abilities: 'all' as const, ...wanted };
      const created = await database.acrossWorkspaces.transaction((tx) => keys.create(tx, granted));
      return created.key;
    },
    makeWorkspace(name = 'Another') {
      return database.acrossWorkspaces.transaction(async (tx) => {
        const workspace = await workspaces.create(tx, name);
        const created = await keys.create(tx, { workspaceId: workspace.id, name: 'test', abilities: 'all' });
        return { id: workspace.id, key: created.key };
      });
    },
    async stop() {
      await app.stop(1_000);
      await drop();
    },
  };
}

/** `call('POST /api/v1/bots', { body })`. `key: null` sends none. */
const isReady = (body: unknown) => typeof body === 'string' || body instanceof FormData;

export function createCall(url: string, defaultKey: string): Call {
  return async (operation, { key = defaultKey, body, headers, headOnly = false } = {}) => {
    const [method = 'GET', path = '/'] = operation.split(' ');
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(key && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isReady(body) ? body : JSON.stringify(body) }),
    });
    if (headOnly && response.ok) {
      await response.body?.cancel();
      return { status: response.status, headers: response.headers, body: undefined };
    }
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text ? JSON.parse(text) : text,
    };
  };
}
