import type { BotService } from '../bots/bots.service.ts';
import type { GuardedLane } from '../egress/guarded-lane.ts';
import type { NoteChange } from '../events/workspace-changes.ts';
import type { Clock } from '../lib/clock.ts';
import { type KnowledgeEngineOptions, openKnowledgeEngine } from './engine.ts';
import { createExtractor } from './extraction/extract.ts';
import { createIngestion } from './ingestion/ingest.ts';
import { ingestionQueues } from './ingestion/ingestion.queue.ts';
import { createTakeUp } from './ingestion/take-up.ts';
import { createKnowledgeService, type KnowledgeService } from './knowledge.service.ts';
import {
  createKnowledgeOverviewService,
  type KnowledgeOverviewService,
} from './overview/knowledge-overview.service.ts';
import { createPageFetcher } from './web/fetch-source-page.ts';

export interface OpenKnowledgeOptions extends KnowledgeEngineOptions {
  guardedLane: GuardedLane;
  noteChange: NoteChange;
  bots: Pick<BotService, 'getRow'>;
  clock: Clock;
}

export interface OpenedKnowledge {
  service: KnowledgeService;
  overview: KnowledgeOverviewService;
  /** Call when jobs have started: makes sure that every source has vectors of the configured model, or a job for them. */
  start(): Promise<void>;
  /** Call regularly: gives a new job to sources that have lost theirs. */
  takeUp(): Promise<void>;
  /** Call when jobs have ended. */
  stop(): Promise<void>;
}

/** Wires knowledge together. It defines jobs, so it has to run before they start. */
export async function openKnowledge(options: OpenKnowledgeOptions): Promise<OpenedKnowledge> {
  const engine = await openKnowledgeEngine(options);
  const extractor = createExtractor();
  const fetchPage = createPageFetcher({ lane: options.guardedLane });
  const { retrieval, embedMissing } = engine;
  const ingest = createIngestion({ ...options, extractor, fetchPage, embedMissing });
  for (const queue of ingestionQueues) options.jobs.define(queue, ingest(queue));
  const takeUp = createTakeUp(options);
  return {
    service: createKnowledgeService({ ...options, retrieval }),
    overview: createKnowledgeOverviewService(options),
    async start() {
      await takeUp();
      await engine.start();
    },
    takeUp,
    async stop() {
      await Promise.all([extractor.close(), engine.stop()]);
    },
  };
}
