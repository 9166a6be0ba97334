import type { JobWithMetadata, PgBoss } from 'pg-boss';
import type { Database, Queryable } from '../database/database.ts';
import type { Log } from '../lib/log.ts';
import { createBoss, deadLetterQueue, ensureDeadLetterQueue, statementsOn } from './boss.ts';
import { jobStore } from './jobs.store.ts';

/** A job that failed permanently. */
export type DeadLetter = ReturnType<typeof toDeadLetter>;

export type DeadLetters = ReturnType<typeof deadLettersOf>;

/** For the operator: gives access to failed jobs without working on any. */
export async function withDeadLetters<Result>(
  { database, log }: { database: Database; log: Log },
  work: (deadLetters: DeadLetters) => Promise<Result>,
): Promise<Result> {
  const boss = createBoss({ database, log, works: false });
  await boss.start();
  try {
    await ensureDeadLetterQueue(boss);
    return await work(deadLettersOf(database.acrossWorkspaces, boss));
  } finally {
    await boss.stop({ graceful: false, close: false });
  }
}

function deadLettersOf(query: Queryable, boss: PgBoss) {
  return {
    /** Oldest first. */
    async list(): Promise<DeadLetter[]> {
      const found = await boss.findJobs<object>(deadLetterQueue);
      return found.map(toDeadLetter).toSorted((one, other) => +one.failedAt - +other.failedAt);
    },
    /** Puts a dead letter back into its queue as a new job; false when no dead letter has this id. */
    retry: (id: string): Promise<boolean> => retryDeadLetter(query, boss, id),
  };
}

/**
 * Puts a dead letter back into its queue as a new job; false when no dead letter has this id. If the queue takes one job
 * per key and already has one, that job does the work and the dead letter is removed.
 */
export async function retryDeadLetter(query: Queryable, boss: PgBoss, id: string): Promise<boolean> {
  const moved = await boss.redrive(deadLetterQueue, { ids: [id], db: statementsOn(query) });
  return moved === 1 || jobStore.removeSupersededAcrossWorkspaces(query, id);
}

function toDeadLetter(job: JobWithMetadata) {
  const { message } = { message: 'unknown', ...job.sourceOutput };
  return {
    id: job.id,
    /** Where it came from, and where a retry puts it. */
    queue: job.sourceName ?? job.name,
    error: message,
    attempts: (job.sourceRetryCount ?? 0) + 1,
    data: job.data,
    failedAt: job.createdOn,
  };
}
