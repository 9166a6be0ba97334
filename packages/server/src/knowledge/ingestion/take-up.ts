import type { Database, Queryable } from '../../database/database.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { knowledgeStore } from '../store.ts';
import { enqueueIngestion, type Ingestion, ingestionQueues } from './queue.ts';

export interface TakeUpOptions {
  database: Database;
  jobs: Pick<Jobs, 'enqueue' | 'listUnfinished'>;
}

/**
 * Gives a job to every source that waits for one that is no longer there: it became a dead letter while the database was
 * away, or somebody removed it. Harmless when repeated, and on several nodes at once.
 */
export function createTakeUp({ database, jobs }: TakeUpOptions): () => Promise<void> {
  async function listJobs(query: Queryable, like?: Ingestion): Promise<Ingestion[]> {
    const found: Ingestion[] = [];
    for (const queue of ingestionQueues) found.push(...(await jobs.listUnfinished(query, queue, like)));
    return found;
  }

  return async () => {
    const unfinished = await knowledgeStore.listUnfinishedAcrossWorkspaces(database.query);
    if (unfinished.length === 0) return;
    const cared = new Set((await listJobs(database.query)).map(nameOf));
    for (const wanted of unfinished.filter((one) => !cared.has(nameOf(one)))) {
      const { workspaceId, knowledgeId, revision } = wanted;
      await database.transaction(async (tx) => {
        // Whoever gives it a job, or ends it, holds its row: from here on nobody else does.
        const held = await knowledgeStore.lock(tx, workspaceId, knowledgeId);
        if (held?.status !== 'active' || held.revision !== revision) return;
        if (held.processingStatus === 'completed' || held.processingStatus === 'failed') return;
        if ((await listJobs(tx, { workspaceId, knowledgeId, revision })).length > 0) return;
        await enqueueIngestion(jobs, tx, wanted);
      });
    }
  };
}

function nameOf({ knowledgeId, revision }: Ingestion): string {
  return `${knowledgeId} ${revision}`;
}
