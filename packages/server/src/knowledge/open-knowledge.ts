import type { Feature, Services } from '../services.ts';
import { type KnowledgeEngineOptions, openKnowledgeEngine } from './engine.ts';
import { createExtractor } from './extraction/extract.ts';
import { createIngestion } from './ingestion/ingest.ts';
import { ingestionQueues } from './ingestion/ingestion.queue.ts';
import { createLostSourceSweep } from './ingestion/lost-source-sweep.ts';
import { knowledgeRoutes } from './knowledge.routes.ts';
import { createKnowledgeService } from './knowledge.service.ts';
import { knowledgeOverviewRoutes } from './overview/knowledge-overview.routes.ts';
import { createKnowledgeOverviewService } from './overview/knowledge-overview.service.ts';
import { createQuestionService } from './questions/knowledge-questions.service.ts';
import { createPageFetcher } from './web/fetch-source-page.ts';

/** Wires knowledge together. It defines jobs, so it has to run before they start. */
export async function openKnowledge(
  services: KnowledgeEngineOptions &
    Pick<Services, 'bots' | 'clock' | 'files' | 'guardedLane' | 'noteChange'>,
): Promise<Feature<Pick<Services, 'knowledge' | 'knowledgeOverview' | 'questions' | 'readDocument'>>> {
  const engine = await openKnowledgeEngine(services);
  const extractor = createExtractor();
  const fetchPage = createPageFetcher({ lane: services.guardedLane });
  const { retrieval, embedMissing } = engine;
  const ingest = createIngestion({ ...services, extractor, fetchPage, embedMissing });
  for (const queue of ingestionQueues) services.jobs.define(queue, ingest(queue));
  const enqueueLostSources = createLostSourceSweep(services);
  return {
    services: {
      knowledge: createKnowledgeService(services, retrieval),
      knowledgeOverview: createKnowledgeOverviewService(services),
      questions: createQuestionService(services),
      readDocument: extractor.extract,
    },
    routes: [knowledgeRoutes, knowledgeOverviewRoutes],
    rounds: [{ name: 'knowledge without a job', everyMilliseconds: 600_000, work: enqueueLostSources }],
    /** Makes sure that every source has vectors of the configured model, or a job for them. */
    async start() {
      await enqueueLostSources();
      await engine.start();
    },
    async close() {
      await Promise.all([extractor.close(), engine.stop()]);
    },
  };
}
