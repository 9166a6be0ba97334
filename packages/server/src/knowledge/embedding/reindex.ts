import type { JobQueue } from '../../jobs/queue.ts';
import type { EmbedderRegistry } from '../../models/embeddings/embedder-registry.ts';
import type { Services } from '../../services.ts';
import { retrievalStore } from '../retrieval/retrieval.store.ts';
import type { EmbedMissing } from './embed-missing.ts';
import { embeddingStore } from './embedding.store.ts';

/** The built-in model takes hours for a hundred thousand chunks; heartbeats reveal a node that has died. */
const reindexQueue: JobQueue<{ workspaceId: string }> = {
  name: 'knowledge-reindex',
  retryLimit: 20,
  retryDelaySeconds: 2,
  retryDelayMaxSeconds: 3_600,
  expireSeconds: 20 * 60 * 60,
  onePerKey: true,
};

/**
 * Moves workspaces to another embedding model. Searches use the old vectors until all new ones exist; then they use the new
 * ones, and the old ones are deleted. A crash in between loses nothing, because the rows show what is done.
 */
export function defineReindex(
  { database, jobs, log }: Pick<Services, 'database' | 'jobs' | 'log'>,
  embedders: EmbedderRegistry,
  embedMissing: EmbedMissing,
) {
  jobs.define(reindexQueue, async ({ workspaceId }, signal) => {
    const model = embedders.current().id;
    const before = await retrievalStore.findAnsweringModel(database.within(workspaceId), workspaceId);
    if (before !== undefined && !embedders.find(before)) {
      // The old vectors can no longer be searched, and a few new ones are better than none.
      await embeddingStore.switchTo(database.within(workspaceId), workspaceId, model);
    }
    do {
      await embedMissing({ workspaceId }, signal);
    } while (
      !(await database
        .within(workspaceId)
        .transaction((tx) => embeddingStore.switchWhenComplete(tx, workspaceId, model)))
    );
    while (await embeddingStore.removeOthers(database.within(workspaceId), workspaceId, model))
      signal.throwIfAborted();
    if (before !== model)
      log.info({ workspace_id: workspaceId, before, model }, 'Knowledge was embedded with another model.');
  });

  return {
    /** Call at the start and regularly: makes sure that every workspace gets vectors of the current model. Safe to repeat. */
    async enqueueOutdated(): Promise<void> {
      const model = embedders.current().id;
      const outdated = await embeddingStore.listOutdatedAcrossWorkspaces(database.acrossWorkspaces, model);
      for (const workspaceId of outdated) {
        await database
          .within(workspaceId)
          .transaction((tx) => jobs.enqueue(tx, reindexQueue, { workspaceId }, { key: workspaceId }));
      }
    },
  };
}
