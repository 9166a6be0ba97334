import { openReplica } from '../database/replica.ts';
import { createEmbedderRegistry } from '../models/embeddings/embedder-registry.ts';
import type { Services } from '../services.ts';
import { createChunkEmbedding } from './embedding/chunk-embedding.ts';
import { createEmbedMissing } from './embedding/embed-missing.ts';
import { defineReindex } from './embedding/reindex.ts';
import { createRetrieval } from './retrieval/retrieve.ts';
import { openVectorIndex } from './vector-index/open-vector-index.ts';

export interface KnowledgeEngineOptions
  extends Pick<Services, 'config' | 'database' | 'jobs' | 'lane' | 'log' | 'nodeId' | 'spender'>,
    Partial<Pick<Services, 'providerObserver'>> {
  /** How often to check that every workspace has vectors of the current model. */
  lookAgainMs?: number;
}

/** Often enough that a failed switch of models, or a source that lost its job, does not wait for the next start. */
const hourly = 60 * 60 * 1000;

/** Indexes knowledge and searches it. */
export async function openKnowledgeEngine(options: KnowledgeEngineOptions) {
  const { config, lane, database, nodeId, log, lookAgainMs = hourly } = options;
  const embedders = createEmbedderRegistry({
    providers: config.providers,
    ...(config.embeddingModel && { model: config.embeddingModel }),
    lane,
    log,
    ...(options.providerObserver && { observer: options.providerObserver }),
  });
  const { read, close: closeReplica } = openReplica({
    url: config.replicaUrl,
    database,
    nodeId,
    log,
  });
  const index = await openVectorIndex({ database, read, log });
  const embedMissing = createEmbedMissing(options, createChunkEmbedding(embedders));
  const reindex = defineReindex(options, embedders, embedMissing);
  let looking: NodeJS.Timeout | undefined;
  let look = Promise.resolve();

  function lookAgain(): void {
    prepareIndex();
    look = reindex.enqueueOutdated().catch((error: unknown) => {
      log.warn({ err: error }, 'Could not check which knowledge has to be embedded again.');
    });
  }

  /** Takes minutes for many rows. */
  function prepareIndex(): void {
    const { id, dimensions } = embedders.current();
    void index.prepare(id, dimensions);
  }

  return {
    embedMissing,
    retrieval: createRetrieval({ ...options, read, embedders, index }),
    /** Call after the jobs have started: replaces vectors of an earlier model, in the background. */
    async start(): Promise<void> {
      prepareIndex();
      await reindex.enqueueOutdated();
      looking = setInterval(lookAgain, lookAgainMs).unref();
    },
    async stop(): Promise<void> {
      clearInterval(looking);
      await look;
      await Promise.all([index.stop(), embedders.stop()]);
      await closeReplica();
    },
  };
}
