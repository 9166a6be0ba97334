import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBillingService } from '../src/billing/service.ts';
import { createTrustedLane } from '../src/egress/trusted-lane.ts';
import { createChunkEmbedding } from '../src/knowledge/embedding/chunk-embedding.ts';
import { createEmbedMissing } from '../src/knowledge/embedding/embed-missing.ts';
import { createRetrieval, type Retrieval } from '../src/knowledge/retrieval/retrieve.ts';
import { createInProcessIndex } from '../src/knowledge/vector-index/in-process/in-process-index.ts';
import { createEmbedderRegistry } from '../src/models/embeddings/embedder-registry.ts';
import { createWorkspaceService } from '../src/workspaces/service.ts';
import { type KnowledgeRows, knowledgeIn } from './support/knowledge.ts';
import { createTestDatabase, type TestDatabase } from './support/test-database.ts';

const signal = new AbortController().signal;

describe('retrieval', () => {
  let testDatabase: TestDatabase;
  let rows: KnowledgeRows;
  let retrieval: Retrieval;
  let workspaceId: string;
  const log = pino({ level: 'silent' });
  const lane = createTrustedLane();
  const embedders = createEmbedderRegistry({ providers: {}, lane, log });

  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    const { database } = testDatabase;
    rows = knowledgeIn(database);
    const index = createInProcessIndex({ database, log });
    retrieval = createRetrieval({ database, embedders, index, log });
    workspaceId = await rows.makeWorkspace();
    await rows.makeSource(workspaceId, [
      'We refund purchases within 30 days of delivery if the item is unused.',
      'The headquarters stand in Lisbon, near the river.',
      'Error E-4711 means that the pump has run dry.',
    ]);
    const embed = createEmbedMissing({
      database,
      embedders,
      embedding: createChunkEmbedding(embedders),
      index,
      billing: createBillingService({ database }),
      workspaces: createWorkspaceService({ database }),
    });
    await embed({ workspaceId }, signal);
  });
  afterAll(async () => {
    await embedders.stop();
    await testDatabase.drop();
  });

  test('finds by meaning', async () => {
    const { passages } = await retrieval.search(
      { workspaceId, query: 'Can I get my money back?', limit: 3 },
      signal,
    );
    expect(passages[0]?.quote).toContain('refund');
  });

  test('finds by words', async () => {
    const { passages } = await retrieval.search({ workspaceId, query: 'what is e4711', limit: 3 }, signal);
    expect(passages[0]?.quote).toContain('E-4711');
  });
});
