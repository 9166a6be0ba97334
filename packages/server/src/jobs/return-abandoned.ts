import type { PgBoss } from 'pg-boss';
import type { Database } from '../database/database.ts';
import { statementsOn } from './boss.ts';
import { jobStore } from './jobs.store.ts';

const reason = 'The process that ran this job ended before it was done.';

/**
 * Returns the jobs of lost nodes to their queues, to be taken immediately. The attempt counts, so that a job that kills every
 * process it runs in becomes a dead letter. Returns the names of the queues.
 */
export function returnAbandoned({ boss, database }: { boss: PgBoss; database: Database }): Promise<string[]> {
  return database.acrossWorkspaces.transaction(async (tx) => {
    const abandoned = await jobStore.takeAbandonedAcrossWorkspaces(tx);
    const byQueue = Map.groupBy(abandoned, ({ queue }) => queue);
    for (const [queue, held] of byQueue) {
      const jobs = held.map(({ jobId, attempt }) => ({ id: jobId, retryCount: attempt }));
      await boss.fail(queue, jobs, { message: reason, reason }, { db: statementsOn(tx) });
      await jobStore.retryNowAcrossWorkspaces(tx, queue, jobs);
    }
    return [...byQueue.keys()];
  });
}
