import type pg from 'pg';
import type { Log } from '../lib/log.ts';
import { waitAtMost } from '../lib/wait-at-most.ts';
import type { Database } from './database.ts';

export type Listener = Awaited<ReturnType<typeof startListener>>;

export interface ListenerOptions {
  database: Database;
  log: Log;
  channels: Record<string, (payload: string) => void>;
  /** Called whenever notifications start or stop arriving. */
  onConnected?: (connected: boolean) => void;
}

const maxPauseMilliseconds = 5_000;
/** A connection that only receives would not notice that the other side is gone. */
const checkMilliseconds = 10_000;
const answerMilliseconds = 5_000;
const lateMilliseconds = 100;

/** One connection that receives PostgreSQL's notifications and reconnects by itself when it is lost. */
export async function startListener(options: ListenerOptions) {
  const { database, log, channels } = options;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function connect(): Promise<void> {
    const fresh = await database.connect('svc listener');
    fresh.on('notification', ({ channel, payload }) => channels[channel]?.(payload ?? ''));
    fresh.on('error', (error) => log.warn({ err: error }, 'The listening connection failed.'));
    try {
      for (const channel of Object.keys(channels)) await fresh.query(`listen ${channel}`);
    } catch (error) {
      await fresh.end();
      throw error;
    }
    if (stopped) return fresh.end();
    client = fresh;
    const checks = setInterval(() => void check(fresh), checkMilliseconds).unref();
    fresh.on('end', () => {
      clearInterval(checks);
      if (stopped) return;
      options.onConnected?.(false);
      reconnect(100);
    });
    options.onConnected?.(true);
  }

  async function check(checked: pg.Client): Promise<void> {
    // A query that fails ends the connection by itself.
    const answer = checked.query('select 1').catch(() => undefined);
    const isAnswered = await waitAtMost(answerMilliseconds, answer);
    // A process that was suspended reads the answer only now.
    if (!isAnswered && !(await waitAtMost(lateMilliseconds, answer)))
      checked.connection.stream.destroy(new Error('PostgreSQL does not answer on the listening connection.'));
  }

  function reconnect(pause: number): void {
    timer = setTimeout(() => {
      connect().catch((error: unknown) => {
        log.warn({ err: error }, 'Cannot listen for notifications of PostgreSQL; trying again.');
        if (!stopped) reconnect(Math.min(pause * 2, maxPauseMilliseconds));
      });
    }, pause);
  }

  await connect();
  return {
    /** Ends the connection. Repeated calls are harmless. */
    async stop(): Promise<void> {
      if (stopped) return;
      stopped = true;
      clearTimeout(timer);
      await client?.end();
    },
  };
}
