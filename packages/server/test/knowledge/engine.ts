import { pino } from 'pino';
import { createSpender } from '../../src/billing/spender.ts';
import { type Config, readConfig } from '../../src/config/config.ts';
import type { Database } from '../../src/database/database.ts';
import { createTrustedLane } from '../../src/egress/trusted-lane.ts';
import { createJobs } from '../../src/jobs/jobs.ts';
import { type KnowledgeEngineOptions, openKnowledgeEngine } from '../../src/knowledge/engine.ts';
import type { Passage } from '../../src/knowledge/retrieval/retrieve.ts';
import { newId } from '../../src/lib/new-id.ts';
import { priceOf } from '../../src/models/price-of.ts';
import { createWorkspaceService } from '../../src/workspaces/workspaces.service.ts';

export interface TestEngine extends Awaited<ReturnType<typeof openKnowledgeEngine>> {
  logged: string[];
  /** Embeds what has no vectors yet, as ingestion does. */
  embed(workspaceId: string): Promise<void>;
  ask(workspaceId: string, query: string, botId?: string, limit?: number): Promise<Passage[]>;
}

const signal = new AbortController().signal;

/** The search engine of knowledge on an existing database, like a node without the rest of the service. */
export async function openTestEngine(
  database: Database,
  environment: Record<string, string> = {},
  { nodeId = newId(), ...options }: Partial<Pick<KnowledgeEngineOptions, 'lookAgainMs' | 'nodeId'>> = {},
): Promise<TestEngine> {
  const config: Config = readConfig(environment);
  const logged: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
  const lane = createTrustedLane();
  const jobs = createJobs({ database, log, pollSeconds: 0.5 });
  const workspaces = createWorkspaceService({ database });
  const engine = await openKnowledgeEngine({
    config,
    lane,
    database,
    jobs,
    spender: createSpender({
      database,
      models: { priceOf: (id) => priceOf(id, config.modelPrices) },
      creditOf: async (workspaceId) => (await workspaces.get(workspaceId)).creditUsd,
      nodeId,
    }),
    nodeId,
    log,
    ...options,
  });

  return {
    ...engine,
    logged,
    async start() {
      await jobs.start();
      await engine.start();
    },
    async stop() {
      await jobs.stop(0);
      await engine.stop();
      await lane.close();
    },
    embed: (workspaceId) => engine.embedMissing({ workspaceId }, signal),
    async ask(workspaceId, query, botId, limit = 5) {
      return (await engine.retrieval.search({ workspaceId, botId, query, limit }, signal)).passages;
    },
  };
}
