import type { Queryable } from '../../database/database.ts';
import type { Services } from '../../services.ts';
import { knowledgeStore } from '../knowledge.store.ts';
import { enqueueIngestion, type Ingestion, ingestionQueues } from './ingestion.queue.ts';

/**
 * Gives a new job to every source whose job no longer exists: it became a dead letter while the database was down, or it was
 * removed. Safe to repeat, even on several nodes at the same time.
 */
export function createLostSourceSweep({
  database,
  jobs,
}: Pick<Services, 'database' | 'jobs'>): () => Promise<void> {
  async function listJobs(query: Queryable, like?: Ingestion): Promise<Ingestion[]> {
    const found: Ingestion[] = [];
    for (const queue of ingestionQueues) found.push(...(await jobs.listUnfinished(query, queue, like)));
    return found;
  }

  return async () => {
    const unfinished = await knowledgeStore.listUnfinishedAcrossWorkspaces(database.acrossWorkspaces);
    if (unfinished.length === 0) return;
    const cared = new Set((await listJobs(database.acrossWorkspaces)).map(nameOf));
    for (const wanted of unfinished.filter((one) => !cared.has(nameOf(one)))) {
      const { workspaceId, knowledgeId, revision } = wanted;
      await database.within(workspaceId).transaction(async (tx) => {
        // All code that gives a source a job, or ends one, locks its row first.
        const source = await knowledgeStore.lock(tx, workspaceId, knowledgeId);
        if (source?.status !== 'active' || source.revision !== revision) return;
        if (source.processingStatus === 'completed' || source.processingStatus === 'failed') return;
        if ((await listJobs(tx, { workspaceId, knowledgeId, revision })).length > 0) return;
        await enqueueIngestion(jobs, tx, wanted);
      });
    }
  };
}

function nameOf({ knowledgeId, revision }: Ingestion): string {
  return `${knowledgeId} ${revision}`;
}
