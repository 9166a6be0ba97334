import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { ensurePgvector } from '../../src/database/pgvector.ts';
import { chunkStore } from '../../src/knowledge/chunks/chunks.store.ts';
import { createInProcessIndex } from '../../src/knowledge/vector-index/in-process/in-process-index.ts';
import { openVectorIndex } from '../../src/knowledge/vector-index/open-vector-index.ts';
import { createPgvectorIndex } from '../../src/knowledge/vector-index/pgvector/pgvector-index.ts';
import type { VectorIndex } from '../../src/knowledge/vector-index/vector-index.ts';
import { patienceMs } from '../support/patience.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { createPgliteDatabase } from './pglite-database.ts';
import { type KnowledgeRows, knowledgeIn } from './support.ts';
import { numberedVector, turned } from './vectors.ts';

const model = 'test/model';
type IndexOn = Parameters<typeof openVectorIndex>[0];

const databases = [
  {
    name: 'in process',
    open: createTestDatabase,
    openIndex: async (on: IndexOn) => createInProcessIndex({ ...on, patienceMs }),
    leastOf20: 20,
  },
  {
    name: 'pgvector',
    open: createPgliteDatabase,
    openIndex: openVectorIndex,
    leastOf20: 20,
  },
  // Graphs are approximate and may miss one.
  {
    name: 'pgvector, with a graph for every workspace',
    open: createPgliteDatabase,
    openIndex: withGraphs,
    leastOf20: 18,
  },
];

/** Its graph is there before a search, which would not wait for it. */
async function withGraphs(on: IndexOn): Promise<VectorIndex> {
  await ensurePgvector(on.database, on.log);
  const index = createPgvectorIndex({ ...on, graphFrom: 0 });
  return {
    ...index,
    async search(scope, vector, limit) {
      await index.prepare(scope.model, vector.length);
      return index.search(scope, vector, limit);
    },
  };
}

describe.each(databases)('the vector index $name', ({ open, openIndex, leastOf20 }) => {
  let opened: { database: Database; drop(): Promise<void> };
  let database: Database;
  let rows: KnowledgeRows;
  let index: VectorIndex;
  let logged: string[];

  beforeAll(async () => {
    opened = await open();
    database = opened.database;
    rows = knowledgeIn(database);
    logged = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) });
    index = await openIndex({ database, log });
    await index.prepare(model, 8);
  });
  afterAll(async () => {
    await index.stop();
    await opened.drop();
    expect(logged).toEqual([]);
  });

  /** A source whose chunks have these vectors; the ids of the chunks. */
  async function makeSource(
    workspaceId: string,
    vectors: Float32Array[],
    options: { botId?: string; model?: string } = {},
  ): Promise<{ knowledgeId: string; chunkIds: string[] }> {
    const texts = vectors.map((_, place) => `Passage ${place}`);
    const knowledgeId = await rows.makeSource(workspaceId, texts, options);
    const chunkIds = await rows.chunkIdsOf(knowledgeId);
    const embedded = chunkIds.map((chunkId, place) => ({
      chunkId,
      vectors: vectors.slice(place, place + 1),
    }));
    await database.acrossWorkspaces.transaction((tx) =>
      chunkStore.saveEmbeddings(tx, workspaceId, options.model ?? model, embedded),
    );
    return { knowledgeId, chunkIds };
  }

  const search = async (...asked: Parameters<VectorIndex['search']>) => (await index.search(...asked)) ?? [];
  const find = async (workspaceId: string, vector: Float32Array, limit = 10, botId?: string) =>
    (await search({ workspaceId, botId, model }, vector, limit)).map(({ chunkId }) => chunkId);

  test('returns the nearest first, with the cosine', async () => {
    const workspaceId = await rows.makeWorkspace();
    const vectors = [0.9, 0.1, 0.5].map((angle) => turned(8, angle));
    const { chunkIds } = await makeSource(workspaceId, vectors);
    const hits = await search({ workspaceId, botId: undefined, model }, turned(8, 0), 10);
    expect(hits.map(({ chunkId }) => chunkId)).toEqual([chunkIds[1], chunkIds[2], chunkIds[0]]);
    expect(hits[0]?.similarity).toBeCloseTo(Math.cos(0.1), 5);
    expect(await find(workspaceId, turned(8, 0), 2)).toEqual([chunkIds[1], chunkIds[2]]);
  });

  test('a workspace without vectors has no results', async () => {
    expect(await find(await rows.makeWorkspace(), turned(8, 0))).toEqual([]);
  });

  test('finds what an exhaustive search finds', async () => {
    const workspaceId = await rows.makeWorkspace();
    const vectors = Array.from({ length: 300 }, (_, seed) => numberedVector(8, seed));
    const { chunkIds } = await makeSource(workspaceId, vectors);
    for (let seed = 1_000; seed < 1_010; seed += 1) {
      const asked = numberedVector(8, seed);
      const similarities = vectors.map((vector) =>
        vector.reduce((sum, value, at) => sum + value * (asked[at] ?? 0), 0),
      );
      const expected = chunkIds
        .map((chunkId, place) => ({ chunkId, similarity: similarities[place] ?? 0 }))
        .toSorted((one, other) => other.similarity - one.similarity)
        .slice(0, 20);
      const hits = await search({ workspaceId, botId: undefined, model }, asked, 20);
      const found = new Set(hits.map(({ chunkId }) => chunkId));
      expect(expected.filter(({ chunkId }) => found.has(chunkId)).length).toBeGreaterThanOrEqual(leastOf20);
    }
  });

  test('another workspace is never searched, however close its vectors', async () => {
    const [own, other] = [await rows.makeWorkspace(), await rows.makeWorkspace()];
    const far = await makeSource(own, [turned(8, 2)]);
    await makeSource(
      other,
      Array.from({ length: 100 }, () => turned(8, 0)),
    );
    expect(await find(own, turned(8, 0), 5)).toEqual(far.chunkIds);
  });

  test("a bot finds its own sources and shared ones, never another bot's", async () => {
    const workspaceId = await rows.makeWorkspace();
    const [bot, otherBot] = [await rows.makeBot(workspaceId), await rows.makeBot(workspaceId)];
    const everybody = await makeSource(workspaceId, [turned(8, 1)]);
    const own = await makeSource(workspaceId, [turned(8, 1.5)], { botId: bot });
    const others = await makeSource(
      workspaceId,
      Array.from({ length: 60 }, (_, place) => turned(8, 0.015 * place)),
      { botId: otherBot },
    );
    expect(await find(workspaceId, turned(8, 0), 5, bot)).toEqual([...everybody.chunkIds, ...own.chunkIds]);
    expect(await find(workspaceId, turned(8, 0), 1)).toEqual(others.chunkIds.slice(0, 1));
  });

  test('an inactive source is gone immediately, and back when it is active again', async () => {
    const workspaceId = await rows.makeWorkspace();
    const { knowledgeId, chunkIds } = await makeSource(workspaceId, [turned(8, 0)]);
    const setStatus = (status: string) =>
      rows.rows('update knowledge set status = $2 where id = $1', [knowledgeId, status]);
    expect(await find(workspaceId, turned(8, 0))).toEqual(chunkIds);
    await setStatus('inactive');
    expect(await find(workspaceId, turned(8, 0))).toEqual([]);
    await setStatus('active');
    expect(await find(workspaceId, turned(8, 0))).toEqual(chunkIds);
  });

  test('a source that is assigned to a bot is no longer found by the others', async () => {
    const workspaceId = await rows.makeWorkspace();
    const [bot, otherBot] = [await rows.makeBot(workspaceId), await rows.makeBot(workspaceId)];
    const { knowledgeId, chunkIds } = await makeSource(workspaceId, [turned(8, 0)]);
    expect(await find(workspaceId, turned(8, 0), 5, bot)).toEqual(chunkIds);
    await rows.rows('update knowledge set bot_id = $2 where id = $1', [knowledgeId, otherBot]);
    expect(await find(workspaceId, turned(8, 0), 5, bot)).toEqual([]);
    expect(await find(workspaceId, turned(8, 0), 5, otherBot)).toEqual(chunkIds);
  });

  test('vectors are found after their commit, not before', async () => {
    const workspaceId = await rows.makeWorkspace();
    const first = await makeSource(workspaceId, [turned(8, 1)]);
    expect(await find(workspaceId, turned(8, 0))).toEqual(first.chunkIds);
    const second = await makeSource(workspaceId, [turned(8, 0.5)]);
    expect(await find(workspaceId, turned(8, 0))).toEqual([...second.chunkIds, ...first.chunkIds]);
  });

  test('a deleted source leaves no vector behind in the table or in the index', async () => {
    const workspaceId = await rows.makeWorkspace();
    const gone = await makeSource(workspaceId, [turned(8, 0), turned(8, 0.1)]);
    const kept = await makeSource(workspaceId, [turned(8, 1)]);
    expect(await find(workspaceId, turned(8, 0))).toHaveLength(3);
    await rows.rows('delete from knowledge where id = $1', [gone.knowledgeId]);
    expect(await find(workspaceId, turned(8, 0))).toEqual(kept.chunkIds);
    expect(
      await rows.rows('select chunk_id from knowledge_embeddings where workspace_id = $1', [workspaceId]),
    ).toEqual([{ chunk_id: kept.chunkIds[0] }]);
  });

  test('vectors can be removed while the chunks stay', async () => {
    const workspaceId = await rows.makeWorkspace();
    const { knowledgeId, chunkIds } = await makeSource(workspaceId, [turned(8, 0)]);
    await rows.rows('delete from knowledge_embeddings where knowledge_id = $1', [knowledgeId]);
    expect(await find(workspaceId, turned(8, 0))).toEqual([]);
    expect(await rows.chunkIdsOf(knowledgeId)).toEqual(chunkIds);
  });

  test('vectors of two models are kept apart, even with different sizes', async () => {
    const workspaceId = await rows.makeWorkspace();
    const one = await makeSource(workspaceId, [turned(8, 0.3)]);
    const other = await makeSource(workspaceId, [turned(16, 0)], { model: 'test/other' });
    expect(await find(workspaceId, turned(8, 0))).toEqual(one.chunkIds);
    const found = await search({ workspaceId, botId: undefined, model: 'test/other' }, turned(16, 0), 5);
    expect(found.map(({ chunkId }) => chunkId)).toEqual(other.chunkIds);
  });

  test('a chunk with several vectors is returned once, with its nearest', async () => {
    const workspaceId = await rows.makeWorkspace();
    const knowledgeId = await rows.makeSource(workspaceId, ['One', 'Two']);
    const [one = '', two = ''] = await rows.chunkIdsOf(knowledgeId);
    await database.acrossWorkspaces.transaction((tx) =>
      chunkStore.saveEmbeddings(tx, workspaceId, model, [
        { chunkId: one, vectors: [turned(8, 2), turned(8, 0.1), turned(8, 0.2)] },
        { chunkId: two, vectors: [turned(8, 0.15)] },
      ]),
    );
    const hits = await search({ workspaceId, botId: undefined, model }, turned(8, 0), 10);
    expect(hits.map(({ chunkId }) => chunkId)).toEqual([one, two]);
    expect(hits[0]?.similarity).toBeCloseTo(Math.cos(0.1), 5);
  });

  test('a chunk that is deleted before its vectors arrive is skipped', async () => {
    const workspaceId = await rows.makeWorkspace();
    const { knowledgeId, chunkIds } = await makeSource(workspaceId, [turned(8, 0)]);
    await rows.rows('delete from knowledge where id = $1', [knowledgeId]);
    const late = chunkIds.map((chunkId) => ({ chunkId, vectors: [turned(8, 0)] }));
    await database.acrossWorkspaces.transaction((tx) =>
      chunkStore.saveEmbeddings(tx, workspaceId, model, late),
    );
    expect(await find(workspaceId, turned(8, 0))).toEqual([]);
  });
});
