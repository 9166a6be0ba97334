import type { BillingService } from './billing/service.ts';
import type { BotService } from './bots/service.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { Database } from './database/database.ts';
import type { GuardedLane } from './egress/guarded-lane.ts';
import type { TrustedLane } from './egress/trusted-lane.ts';
import type { Jobs } from './jobs/jobs.ts';
import { createChunkEmbedding } from './knowledge/embedding/chunk-embedding.ts';
import { createEmbedMissing } from './knowledge/embedding/embed-missing.ts';
import { defineReindex } from './knowledge/embedding/reindex.ts';
import { createExtractor } from './knowledge/extraction/extract.ts';
import { createIngestion } from './knowledge/ingestion/ingest.ts';
import { ingestionQueue } from './knowledge/ingestion/queue.ts';
import { createRetrieval } from './knowledge/retrieval/retrieve.ts';
import { createKnowledgeService, type KnowledgeService } from './knowledge/service.ts';
import { createInProcessIndex } from './knowledge/vector-index/in-process/in-process-index.ts';
import { createPageFetcher } from './knowledge/web/fetch-page.ts';
import type { Log } from './log.ts';
import { createEmbedderRegistry } from './models/embeddings/embedder-registry.ts';
import type { WorkspaceService } from './workspaces/service.ts';

export interface OpenKnowledgeOptions {
  config: Pick<Config, 'providers' | 'modelPrices' | 'embeddingModel'>;
  database: Database;
  lane: TrustedLane;
  guardedLane: GuardedLane;
  jobs: Jobs;
  bots: BotService;
  billing: BillingService;
  workspaces: WorkspaceService;
  clock: Clock;
  log: Log;
}

export interface OpenedKnowledge {
  service: KnowledgeService;
  /** When jobs can be taken: sees to it that every source has vectors of the configured model. */
  begin(): Promise<void>;
  /** After the jobs have ended. */
  stop(): Promise<void>;
}

/** Wires everything that knowledge is made of. Its jobs must be defined before any starts. */
export function openKnowledge(options: OpenKnowledgeOptions): OpenedKnowledge {
  const { config, database, jobs, log } = options;
  const embedders = createEmbedderRegistry({
    providers: config.providers,
    prices: config.modelPrices,
    lane: options.lane,
    log,
    ...(config.embeddingModel && { model: config.embeddingModel }),
  });
  const index = createInProcessIndex({ database, log });
  const retrieval = createRetrieval({ database, embedders, index, log });
  const embedding = createChunkEmbedding(embedders);
  const embedMissing = createEmbedMissing({ ...options, embedders, embedding, index });
  const reindex = defineReindex({ database, jobs, embedders, embedMissing, log });
  const extractor = createExtractor();
  const fetchPage = createPageFetcher({ lane: options.guardedLane });
  jobs.define(ingestionQueue, createIngestion({ ...options, extractor, fetchPage, embedders, embedding }));
  return {
    service: createKnowledgeService({ ...options, retrieval }),
    begin: () => reindex.enqueueOutdated(),
    async stop() {
      await Promise.all([extractor.close(), index.stop(), embedders.stop()]);
    },
  };
}
