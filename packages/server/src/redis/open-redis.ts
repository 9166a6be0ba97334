import { setTimeout as sleep } from 'node:timers/promises';
import type { createClient } from '@redis/client';
import type { Log } from '../lib/log.ts';
import { waitAtMost } from '../lib/wait-at-most.ts';

/** How often a connection is checked. */
const checkMilliseconds = 1_000;
/** How long Redis may take to accept a connection, and to answer a check. */
const patienceMilliseconds = 3_000;
const firstPauseMilliseconds = 50;
const maxPauseMilliseconds = 2_000;
/** How long closing waits for commands that Redis has not answered. */
const closingMilliseconds = 500;

export type RedisClient = ReturnType<typeof createClient>;

export interface RedisOptions {
  url: string;
  /** None for a further connection, whose outages would only be logged twice. */
  log?: Log;
  /** Prepares a fresh connection, which is dropped if this fails. */
  onConnected?(client: RedisClient): Promise<void>;
  /** The connection is gone. Called even if `onConnected` failed. */
  onDisconnected?(): void;
  /** Runs every second in place of a ping. The connection is dropped if it fails or takes too long. */
  check?(client: RedisClient): Promise<unknown>;
}

export type Redis = ReturnType<typeof openRedis>;

/** Keeps a connection to Redis or Valkey open. Never fails: an outage is logged once when it begins and once when it ends. */
export function openRedis({ url, log, ...options }: RedisOptions) {
  const stopping = new AbortController();
  let client: RedisClient | undefined;
  let isOutageLogged = false;
  let attempts = 0;
  let drop: (reason: Error) => void = () => undefined;
  const running = run();

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await useConnection().catch(logOutage);
      // Closing ends the pause by aborting it.
      await sleep(pauseAfter(attempts), undefined, { signal: stopping.signal }).catch(() => undefined);
      attempts += 1;
    }
  }

  /** Connects, and throws the reason when the connection is over. */
  async function useConnection(): Promise<never> {
    const fresh = await createRedisClient(url);
    stopping.signal.throwIfAborted();
    const lost = Promise.withResolvers<never>();
    fresh.on('error', lost.reject);
    drop = lost.reject;
    const connecting = fresh.connect();
    const prepared = connecting.then(() => options.onConnected?.(fresh));
    try {
      await answerWithin(patienceMilliseconds, Promise.race([prepared, lost.promise]));
      client = fresh;
      if (isOutageLogged) log?.info('Redis works again.');
      isOutageLogged = false;
      return await Promise.race([checkUntilLost(fresh), lost.promise]);
    } finally {
      client = undefined;
      fresh.destroy();
      // A connection that is established only now would stay open.
      connecting.then(
        () => fresh.destroy(),
        () => undefined,
      );
      if (!stopping.signal.aborted) options.onDisconnected?.();
    }
  }

  async function checkUntilLost(current: RedisClient): Promise<never> {
    for (;;) {
      await sleep(checkMilliseconds, undefined, { ref: false });
      await answerWithin(patienceMilliseconds, options.check?.(current) ?? current.ping());
      attempts = 0;
    }
  }

  function logOutage(error: unknown): void {
    if (isOutageLogged || stopping.signal.aborted) return;
    isOutageLogged = true;
    log?.warn({ reason: reasonOf(error) }, 'Redis cannot be used; trying again until it works.');
  }

  return {
    /** Undefined while there is no connection. Each connection has its own client, which never reconnects. */
    get client(): RedisClient | undefined {
      return client;
    },
    /** Drops the connection with everything that is unanswered, then connects again. */
    reconnect: (reason: Error) => drop(reason),
    /** Waits briefly for what was sent, then disconnects. Repeated calls are harmless. */
    async close(): Promise<void> {
      stopping.abort();
      // What Redis does not answer in time is lost, as it would be if the process had ended a moment earlier.
      if (client) await waitAtMost(closingMilliseconds, client.close()).catch(() => undefined);
      drop(new Error('Closed.'));
      await running;
    },
  };
}

async function createRedisClient(url: string): Promise<RedisClient> {
  // Loading it takes a fifth of a second, which services without Redis need not spend.
  const { createClient } = await import('@redis/client');
  return createClient({
    url,
    name: 'svc',
    disableClientInfo: true,
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    // The client's own timeout costs a timer per command and no longer applies once the command is written.
    commandOptions: { timeout: 0 },
    // The client cannot be made to leave a server that no longer answers, so each connection has a client of its own.
    socket: { reconnectStrategy: false, connectTimeout: patienceMilliseconds },
  });
}

/** Grows with each attempt, and differs between processes so that they do not all return at the same moment. */
function pauseAfter(attempts: number): number {
  const pause = Math.min(firstPauseMilliseconds * 2 ** attempts, maxPauseMilliseconds);
  return pause * (0.5 + Math.random() / 2);
}

function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  // Some servers repeat the arguments of a command that they do not know, and one of them is the password.
  return (message || code || 'unknown error').replace(/,? with args .*/s, '');
}

async function answerWithin(milliseconds: number, work: Promise<unknown>): Promise<void> {
  if (!(await waitAtMost(milliseconds, work))) throw new Error('Redis does not answer.');
}
