import type { Database, Transaction } from '../../database/database.ts';
import { type Claim, type KnowledgeChange, knowledgeStore } from '../knowledge.store.ts';
import type { Ingestion } from './ingestion.queue.ts';

/** A job that has claimed its source. */
export type ClaimedJob = Ingestion & Claim;

/** The source is gone, inactive, or claimed by another job, so there is nothing left to do. */
export class Outdated extends Error {
  override readonly name = 'Outdated';
}

/**
 * Writes a stage's result, with `more` in the same transaction. Throws Outdated when this job no longer has the source. The
 * source's row stays locked, so that no other job can claim it in between.
 */
export async function writeStage(
  database: Database,
  job: ClaimedJob,
  change: KnowledgeChange,
  more?: (tx: Transaction) => Promise<void>,
): Promise<void> {
  await database.within(job.workspaceId).transaction(async (tx) => {
    await writeWithin(tx, job, change);
    await more?.(tx);
  });
}

/** The same in the caller's transaction. */
export async function writeWithin(tx: Transaction, job: ClaimedJob, change: KnowledgeChange): Promise<void> {
  if (!(await knowledgeStore.updateCurrent(tx, job.workspaceId, job, change))) throw new Outdated();
}
