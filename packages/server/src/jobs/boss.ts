import { PgBoss } from 'pg-boss';
import type { Database, Queryable } from '../database/database.ts';
import { startListener } from '../database/listener.ts';
import type { Log } from '../log.ts';

/** Where jobs rest that failed for good, of every queue. */
export const deadLetterQueue = 'dead-letter';

/** Apart from our own tables: pg-boss migrates it by itself. */
export const jobsSchema = 'pgboss';
const deadLettersKeptSeconds = 90 * 24 * 60 * 60;
/** Work that waits for other work is not used; its resolver cannot be switched off, only slowed down. */
const neverSeconds = 24 * 60 * 60;

export interface BossOptions {
  database: Database;
  log: Log;
  /** Whether this process works on jobs, and cares for those that others left behind. */
  works: boolean;
  /** Told the queue of every job that can be done at once, and undefined when some may have been missed. */
  onJob?: (queue: string | undefined) => void;
  /** Told whether such news arrive. */
  onListening?: (isListening: boolean) => void;
}

/** pg-boss on our own connections, not started. */
export function createBoss({ database, log, works, onJob, onListening }: BossOptions): PgBoss {
  const boss = new PgBoss({
    schema: jobsSchema,
    db: {
      ...statementsOn(database.query),
      async listen(channel, onNotification, onReconnect) {
        const listener = await startListener({
          database,
          log,
          channels: {
            [channel]: (queue) => {
              onNotification(queue);
              onJob?.(queue);
            },
          },
          onConnected: (isConnected) => {
            onListening?.(isConnected);
            if (!isConnected) return;
            onReconnect();
            onJob?.(undefined);
          },
        });
        return { close: () => listener.stop() };
      },
    },
    // Schedules are our own.
    schedule: false,
    supervise: works,
    useListenNotify: works,
    flowIntervalSeconds: neverSeconds,
  });
  boss.on('error', (error) => log.warn({ err: error }, 'Background work met an error; it goes on.'));
  boss.on('warning', ({ message, data }) => log.warn({ data }, message));
  return boss;
}

/** What pg-boss runs its statements with: the pool, or the caller's transaction. */
export function statementsOn(query: Queryable) {
  return { executeSql: (text: string, values?: unknown[]) => query.raw(text, values) };
}

export async function ensureDeadLetterQueue(boss: PgBoss): Promise<void> {
  await boss.createQueue(deadLetterQueue, { retentionSeconds: deadLettersKeptSeconds });
}
