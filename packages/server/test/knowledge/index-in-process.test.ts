import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { chunkStore } from '../../src/knowledge/chunks/chunks.store.ts';
import {
  createInProcessIndex,
  type InProcessIndexOptions,
} from '../../src/knowledge/vector-index/in-process/in-process-index.ts';
import type { VectorIndex } from '../../src/knowledge/vector-index/vector-index.ts';
import { patienceMs } from '../support/patience.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { type KnowledgeRows, knowledgeIn } from './support.ts';
import { numberedVector, turned } from './vectors.ts';

const model = 'test/model';

describe('the vector index in memory', () => {
  let opened: TestDatabase;
  let database: Database;
  let rows: KnowledgeRows;
  const indexes: VectorIndex[] = [];
  const logged: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });

  beforeAll(async () => {
    opened = await createTestDatabase();
    database = opened.database;
    rows = knowledgeIn(database);
  });
  afterEach(async () => {
    await Promise.all(indexes.splice(0).map((index) => index.stop()));
    logged.length = 0;
  });
  afterAll(() => opened.drop());

  function open(options: Partial<InProcessIndexOptions> = {}): VectorIndex {
    const index = createInProcessIndex({ database, log, patienceMs, ...options });
    indexes.push(index);
    return index;
  }

  async function addSource(workspaceId: string, vectors: Float32Array[], of = model): Promise<string[]> {
    const knowledgeId = await rows.makeSource(
      workspaceId,
      vectors.map((_, place) => `Passage ${place}`),
    );
    const chunkIds = await rows.chunkIdsOf(knowledgeId);
    const embedded = chunkIds.map((chunkId, place) => ({
      chunkId,
      vectors: vectors.slice(place, place + 1),
    }));
    await database.acrossWorkspaces.transaction((tx) =>
      chunkStore.saveEmbeddings(tx, workspaceId, of, embedded),
    );
    return chunkIds;
  }

  const find = async (index: VectorIndex, workspaceId: string, vector: Float32Array, limit = 10) =>
    (await index.search({ workspaceId, botId: undefined, model }, vector, limit))?.map(
      ({ chunkId }) => chunkId,
    );

  test('every node sees immediately what another one wrote or removed', async () => {
    const workspaceId = await rows.makeWorkspace();
    const [one, other] = [open(), open()];
    const first = await addSource(workspaceId, [turned(8, 0.3)]);
    expect(await find(one, workspaceId, turned(8, 0))).toEqual(first);
    expect(await find(other, workspaceId, turned(8, 0))).toEqual(first);
    const second = await addSource(workspaceId, [turned(8, 0.1)]);
    expect(await find(one, workspaceId, turned(8, 0))).toEqual([...second, ...first]);
    expect(await find(other, workspaceId, turned(8, 0))).toEqual([...second, ...first]);
    await rows.rows('delete from knowledge_chunks where id = $1', [first[0]]);
    expect(await find(one, workspaceId, turned(8, 0))).toEqual(second);
    expect(await find(other, workspaceId, turned(8, 0))).toEqual(second);
  });

  test('is correct after any number of changes', async () => {
    const workspaceId = await rows.makeWorkspace();
    const index = open();
    const alive = new Map<string, Float32Array>();
    for (let round = 0; round < 12; round += 1) {
      const vectors = Array.from({ length: 40 }, (_, place) => numberedVector(8, round * 100 + place));
      const chunkIds = await addSource(workspaceId, vectors);
      for (const [place, chunkId] of chunkIds.entries()) alive.set(chunkId, vectors[place] ?? turned(8, 0));
      const gone = [...alive.keys()].filter((_, place) => (place * 7 + round) % 3 === 0);
      await rows.rows('delete from knowledge_chunks where id = any($1::uuid[])', [gone]);
      for (const chunkId of gone) alive.delete(chunkId);
      const asked = numberedVector(8, 5_000 + round);
      const similarity = (vector: Float32Array) =>
        vector.reduce((sum, value, at) => sum + value * (asked[at] ?? 0), 0);
      const expected = [...alive]
        .toSorted(([, one], [, other]) => similarity(other) - similarity(one))
        .slice(0, 10)
        .map(([chunkId]) => chunkId);
      expect(await find(index, workspaceId, asked)).toEqual(expected);
    }
  });

  test('answers concurrent searches, even while it is loading', async () => {
    const workspaceId = await rows.makeWorkspace();
    const index = open();
    const chunkIds = await addSource(
      workspaceId,
      Array.from({ length: 300 }, (_, place) => turned(8, 0.001 * (place + 1))),
    );
    const asked = Array.from({ length: 20 }, () => find(index, workspaceId, turned(8, 0), 3));
    const later = addSource(workspaceId, [turned(8, 0)]);
    for (const found of await Promise.all(asked)) expect(found).toContain(chunkIds[0]);
    expect(await find(index, workspaceId, turned(8, 0), 2)).toEqual([...(await later), chunkIds[0]]);
  });

  test('workspaces that were not used for long are unloaded, and are correct when loaded again', async () => {
    // There is room for only one of them.
    const index = open({ maxBytes: 1_060, patienceMs: 60_000 });
    const made = await Promise.all(
      Array.from({ length: 4 }, async (_, place) => {
        const workspaceId = await rows.makeWorkspace();
        return { workspaceId, chunkIds: await addSource(workspaceId, [turned(8, 0.1 * place)]) };
      }),
    );
    for (let round = 0; round < 3; round += 1) {
      const found = await Promise.all(made.map(({ workspaceId }) => find(index, workspaceId, turned(8, 0))));
      expect(found).toEqual(made.map(({ chunkIds }) => chunkIds));
    }
    // The same applies when they grow and have to wait for each other.
    for (const one of made) one.chunkIds.push(...(await addSource(one.workspaceId, [turned(8, 1.5)])));
    const found = await Promise.all(made.map(({ workspaceId }) => find(index, workspaceId, turned(8, 0))));
    expect(found).toEqual(made.map(({ chunkIds }) => chunkIds));
  });

  test('a workspace larger than the memory limit is not loaded: no results, and one line in the log', async () => {
    const index = open({ maxBytes: 3_000 });
    const [small, large] = [await rows.makeWorkspace(), await rows.makeWorkspace()];
    const chunkIds = await addSource(small, [turned(8, 0.1)]);
    const many = Array.from({ length: 10 }, (_, place) => turned(8, 0.1 * place));
    await addSource(large, many);
    expect(await find(index, small, turned(8, 0))).toEqual(chunkIds);
    for (let round = 0; round < 3; round += 1) {
      expect(await find(index, large, turned(8, 0))).toBeUndefined();
      expect(await find(index, small, turned(8, 0))).toEqual(chunkIds);
    }
    expect(logged.filter((line) => line.includes('pgvector'))).toHaveLength(1);
  });

  test('a search does not wait long for vectors that are being loaded', async () => {
    const workspaceId = await rows.makeWorkspace();
    const chunkIds = await addSource(workspaceId, [turned(8, 0.1)]);
    const index = open({ patienceMs: 50 });
    await database.acrossWorkspaces.transaction(async (tx) => {
      await tx.raw('lock table knowledge_embeddings in access exclusive mode');
      expect(await find(index, workspaceId, turned(8, 0))).toBeUndefined();
    });
    await expect.poll(() => find(index, workspaceId, turned(8, 0))).toEqual(chunkIds);
  });

  test('a crash fails the current search and is logged, and the next search loads everything again', async () => {
    const workspaceId = await rows.makeWorkspace();
    const index = open({ program: new URL('./crashing-index-worker.ts', import.meta.url) });
    const chunkIds = await addSource(workspaceId, [turned(8, 0.3)]);
    expect(await find(index, workspaceId, turned(8, 0))).toEqual(chunkIds);
    await expect(find(index, workspaceId, turned(8, 0), 666)).rejects.toThrow();
    expect(await find(index, workspaceId, turned(8, 0))).toEqual(chunkIds);
    expect(logged.join()).toContain('The vector index in memory failed');
  });

  test('vectors of another size under the same model name are skipped', async () => {
    const workspaceId = await rows.makeWorkspace();
    const index = open();
    const short = await addSource(workspaceId, [turned(8, 0.3)]);
    const long = await addSource(workspaceId, [turned(16, 0.2)]);
    expect(await find(index, workspaceId, turned(8, 0))).toEqual(short);
    expect(await find(index, workspaceId, turned(16, 0))).toEqual(long);
    expect(await find(index, workspaceId, turned(4, 0))).toEqual([]);
  });
});
