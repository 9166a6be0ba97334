import type { Transaction } from '../../database/database.ts';
import type { EnqueueOptions, Jobs } from '../../jobs/jobs.ts';
import type { JobQueue } from '../../jobs/queue.ts';
import type { SourceRow } from '../knowledge.store.ts';

export interface Ingestion {
  workspaceId: string;
  knowledgeId: string;
  revision: number;
}

/**
 * The source counts its own attempts and records when it has failed, so that it ends even if its last attempt was cut off by a
 * crash; the queue never runs out of retries.
 */
const patience = {
  retryLimit: 50,
  retryDelaySeconds: 2,
  retryDelayMaxSeconds: 120,
  expireSeconds: 3600,
};

/** Texts and files: these jobs use the processor, so there are few. */
const ingestionQueue: JobQueue<Ingestion> = {
  ...patience,
  name: 'knowledge-ingestion',
  concurrency: { total: 10, perWorkspace: 8 },
};

/** Pages: these jobs mostly wait for a host, which costs next to nothing, so there are many. */
const pageQueue: JobQueue<Ingestion> = {
  ...patience,
  name: 'knowledge-pages',
  concurrency: { total: 200, perWorkspace: 50 },
};

export const ingestionQueues = [ingestionQueue, pageQueue];

export function queueFor(contentType: SourceRow['contentType']): JobQueue<Ingestion> {
  return contentType === 'url' ? pageQueue : ingestionQueue;
}

/** Enqueues the kind of job that a source needs. */
export async function enqueueIngestion(
  jobs: Pick<Jobs, 'enqueue'>,
  tx: Transaction,
  { workspaceId, knowledgeId, revision, contentType }: Ingestion & Pick<SourceRow, 'contentType'>,
  options?: EnqueueOptions,
): Promise<void> {
  await jobs.enqueue(tx, queueFor(contentType), { workspaceId, knowledgeId, revision }, options);
}
