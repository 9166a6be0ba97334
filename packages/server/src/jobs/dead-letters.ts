import type { JobWithMetadata, PgBoss } from 'pg-boss';
import type { Database, Transaction } from '../database/database.ts';
import type { Log } from '../log.ts';
import { createBoss, deadLetterQueue, ensureDeadLetterQueue, statementsOn } from './boss.ts';

/** A job that failed for good. */
export interface DeadLetter {
  id: string;
  /** Where it came from, and where a retry puts it. */
  queue: string;
  error: string;
  attempts: number;
  data: object;
  failedAt: Date;
}

export interface DeadLetters {
  /** Oldest first. */
  list(): Promise<DeadLetter[]>;
  /** Puts a dead letter back into its queue as a new job; false when there is none of this id. */
  retry(id: string): Promise<boolean>;
}

/** For the operator: looks at what failed without working on anything. */
export async function withDeadLetters<Result>(
  { database, log }: { database: Database; log: Log },
  work: (deadLetters: DeadLetters) => Promise<Result>,
): Promise<Result> {
  const boss = createBoss({ database, log, works: false });
  await boss.start();
  try {
    await ensureDeadLetterQueue(boss);
    return await work(deadLettersOf(boss));
  } finally {
    await boss.stop({ graceful: false, close: false });
  }
}

function deadLettersOf(boss: PgBoss): DeadLetters {
  return {
    async list() {
      const found = await boss.findJobs<object>(deadLetterQueue);
      return found.map(toDeadLetter).toSorted((one, other) => +one.failedAt - +other.failedAt);
    },
    async retry(id) {
      return (await boss.redrive(deadLetterQueue, { ids: [id] })) === 1;
    },
  };
}

/** Puts a dead letter back into its queue as a new job; false when there is none of this id. */
export async function retryDeadLetter(tx: Transaction, boss: PgBoss, id: string): Promise<boolean> {
  return (await boss.redrive(deadLetterQueue, { ids: [id], db: statementsOn(tx) })) === 1;
}

function toDeadLetter(job: JobWithMetadata): DeadLetter {
  const { message } = { message: 'unknown', ...job.sourceOutput };
  return {
    id: job.id,
    queue: job.sourceName ?? job.name,
    error: message,
    attempts: (job.sourceRetryCount ?? 0) + 1,
    data: job.data,
    failedAt: job.createdOn,
  };
}
