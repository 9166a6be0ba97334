import { PgBoss } from 'pg-boss';
import type { Database, Queryable } from '../database/database.ts';
import { startListener } from '../database/listener.ts';
import type { Log } from '../lib/log.ts';

/** Holds the permanently failed jobs of every queue. */
export const deadLetterQueue = 'dead-letter';

/** Separate from our own tables, because pg-boss migrates it by itself. */
export const jobsSchema = 'pgboss';
const deadLettersKeptSeconds = 90 * 24 * 60 * 60;
/** Jobs that depend on other jobs are not used; their resolver cannot be switched off, only slowed down. */
const neverSeconds = 24 * 60 * 60;

export interface BossOptions {
  database: Database;
  log: Log;
  /** Whether this process works on jobs and maintains the queues. */
  works: boolean;
  /** Called with the queue of every job that is ready to run, or undefined when notifications may have been missed. */
  onJob?: (queue: string | undefined) => void;
  /** Called when such notifications start or stop arriving. */
  onListening?: (isListening: boolean) => void;
}

/** Creates pg-boss on our own connections, without starting it. */
export function createBoss({ database, log, works, onJob, onListening }: BossOptions): PgBoss {
  const boss = new PgBoss({
    schema: jobsSchema,
    db: {
      ...statementsOn(database.acrossWorkspaces),
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
    // We have our own schedules.
    schedule: false,
    supervise: works,
    useListenNotify: works,
    flowIntervalSeconds: neverSeconds,
  });
  boss.on('error', (error) => log.warn({ err: error }, 'Background work met an error and continues.'));
  boss.on('warning', ({ message, data }) => log.warn({ data }, message));
  return boss;
}

/** Lets pg-boss run its statements on the pool or in the caller's transaction. */
export function statementsOn(query: Queryable) {
  return { executeSql: (text: string, values?: unknown[]) => query.raw(text, values) };
}

export async function ensureDeadLetterQueue(boss: PgBoss): Promise<void> {
  await boss.createQueue(deadLetterQueue, { retentionSeconds: deadLettersKeptSeconds });
}
