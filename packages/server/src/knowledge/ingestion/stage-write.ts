import type { Database, Transaction } from '../../database/database.ts';
import { type Claim, type KnowledgeChange, knowledgeStore } from '../store.ts';
import type { Ingestion } from './queue.ts';

/** A job that has begun. */
export type ClaimedJob = Ingestion & Claim;

/** The source is gone, at rest, or another job has it: there is nothing left to do here. */
export class Outdated extends Error {
  override readonly name = 'Outdated';
}

/**
 * Writes what a stage came to, with `more` in the same transaction. Throws Outdated when it is no longer this job's to
 * write; the source's row is held meanwhile, so that nobody takes it away between the two.
 */
export async function writeStage(
  database: Database,
  job: ClaimedJob,
  change: KnowledgeChange,
  more?: (tx: Transaction) => Promise<void>,
): Promise<void> {
  await database.transaction(async (tx) => {
    await writeWithin(tx, job, change);
    await more?.(tx);
  });
}

/** The same in a transaction that somebody else ends. */
export async function writeWithin(tx: Transaction, job: ClaimedJob, change: KnowledgeChange): Promise<void> {
  if (!(await knowledgeStore.updateCurrent(tx, job.workspaceId, job, change))) throw new Outdated();
}
