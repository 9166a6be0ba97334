import type { Database } from '../../database/database.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { knowledgeStore } from '../store.ts';
import { type Ingestion, ingestionQueue } from './queue.ts';

export interface TakeUpOptions {
  database: Database;
  jobs: Pick<Jobs, 'enqueue' | 'listUnfinished'>;
}

/**
 * Gives a job to every source that waits for one that is no longer there: it became a dead letter while the database was
 * away, or somebody removed it. Harmless when repeated, and on several nodes at once.
 */
export function createTakeUp({ database, jobs }: TakeUpOptions): () => Promise<void> {
  return async () => {
    const unfinished = await knowledgeStore.listUnfinishedAcrossWorkspaces(database.query);
    if (unfinished.length === 0) return;
    const live = await jobs.listUnfinished(database.query, ingestionQueue);
    const cared = new Set(live.map(nameOf));
    for (const wanted of unfinished.filter((one) => !cared.has(nameOf(one)))) {
      const { workspaceId, knowledgeId, revision } = wanted;
      await database.transaction(async (tx) => {
        // Whoever gives it a job, or ends it, holds its row: from here on nobody else does.
        const held = await knowledgeStore.lock(tx, workspaceId, knowledgeId);
        if (held?.status !== 'active' || held.revision !== revision) return;
        if (held.processingStatus === 'completed' || held.processingStatus === 'failed') return;
        if ((await jobs.listUnfinished(tx, ingestionQueue, wanted)).length > 0) return;
        await jobs.enqueue(tx, ingestionQueue, wanted);
      });
    }
  };
}

function nameOf({ knowledgeId, revision }: Ingestion): string {
  return `${knowledgeId} ${revision}`;
}
