import { setTimeout as sleep } from 'node:timers/promises';
import type { Job, PgBoss } from 'pg-boss';
import { type Database, isConnectionFailure } from '../database/database.ts';
import type { Log } from '../lib/log.ts';
import { jobStore } from './jobs.store.ts';
import type { JobOutcome } from './run-job.ts';

const retryAfterMilliseconds = 2_000;

/** Writes the outcome of an attempt, and retries while the database cannot be reached. */
export async function settleJob(
  job: Job,
  outcome: JobOutcome,
  { boss, database, log, isStopped }: { boss: PgBoss; database: Database; log: Log; isStopped(): boolean },
): Promise<void> {
  for (;;) {
    try {
      if (outcome.status === 'failed permanently')
        await jobStore.forbidRetriesAcrossWorkspaces(database.acrossWorkspaces, job);
      if (outcome.status === 'interrupted' && (await returnJob(job, database))) return;
      if (outcome.status === 'completed') await boss.complete(job.name, job);
      else await boss.fail(job.name, job, { message: outcome.message, reason: outcome.reason });
      await jobStore.releaseAcrossWorkspaces(database.acrossWorkspaces, job);
      return;
    } catch (error) {
      log.warn({ err: error, queue: job.name, job_id: job.id }, 'The outcome of a job could not be written.');
      // Once its heartbeat expires or its node counts as lost, the job is tried again.
      if (isStopped() || !isConnectionFailure(error)) return;
      await sleep(retryAfterMilliseconds, undefined, { ref: false });
    }
  }
}

/** Puts a job back as if it had not been taken; false if this node is not recorded as its holder. */
function returnJob(job: Job, database: Database): Promise<boolean> {
  return database.acrossWorkspaces.transaction(async (tx) => {
    const isHeld = await jobStore.releaseAcrossWorkspaces(tx, job);
    if (isHeld) await jobStore.returnAcrossWorkspaces(tx, job);
    return isHeld;
  });
}
