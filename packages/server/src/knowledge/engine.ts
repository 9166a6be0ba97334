import type { BillingService } from '../billing/service.ts';
import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import type { TrustedLane } from '../egress/trusted-lane.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Log } from '../log.ts';
import { createEmbedderRegistry } from '../models/embeddings/embedder-registry.ts';
import type { WorkspaceService } from '../workspaces/service.ts';
import { createChunkEmbedding } from './embedding/chunk-embedding.ts';
import { createEmbedMissing, type EmbedMissing } from './embedding/embed-missing.ts';
import { defineReindex } from './embedding/reindex.ts';
import { createRetrieval, type Retrieval } from './retrieval/retrieve.ts';
import { openVectorIndex } from './vector-index/open-vector-index.ts';

export interface KnowledgeEngineOptions {
  config: Pick<Config, 'providers' | 'embeddingModel' | 'modelPrices'>;
  lane: TrustedLane;
  database: Database;
  jobs: Jobs;
  billing: Pick<BillingService, 'reserve' | 'charge'>;
  workspaces: Pick<WorkspaceService, 'get'>;
  log: Log;
}

/** What makes knowledge findable and finds it. */
export interface KnowledgeEngine {
  embedMissing: EmbedMissing;
  retrieval: Retrieval;
  /** After the jobs have started: brings vectors of an earlier model up to date, in the background. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function openKnowledgeEngine(options: KnowledgeEngineOptions): Promise<KnowledgeEngine> {
  const { config, lane, database, log } = options;
  const embedders = createEmbedderRegistry({
    providers: config.providers,
    prices: config.modelPrices,
    ...(config.embeddingModel && { model: config.embeddingModel }),
    lane,
    log,
  });
  const index = await openVectorIndex({ database, log });
  const embedding = createChunkEmbedding(embedders);
  const embedMissing = createEmbedMissing({ ...options, embedders, embedding, index });
  const reindex = defineReindex({ ...options, embedders, embedMissing });
  return {
    embedMissing,
    retrieval: createRetrieval({ database, embedders, index, log }),
    async start() {
      const { id, dimensions } = embedders.current();
      // Over many rows it takes minutes; until then searches look at all vectors.
      if (dimensions !== undefined) void index.prepare(id, dimensions);
      await reindex.enqueueOutdated();
    },
    async stop() {
      await Promise.all([index.stop(), embedders.stop()]);
    },
  };
}
