import { assert, double, integer, property } from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { chunkStore } from '../../src/knowledge/chunks/chunks.store.ts';
import { bm25, fullScore, inverseFrequency } from '../../src/knowledge/keywords/bm25.ts';
import { searchKeywords } from '../../src/knowledge/keywords/keyword-search.ts';
import { wordsOf } from '../../src/knowledge/keywords/words.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { chunksOf, type KnowledgeRows, knowledgeIn } from './support.ts';

/** What one word of a question adds to a chunk's score; the search computes it in SQL. */
function termScore(weight: number, frequency: number, length: number, averageLength: number): number {
  const { k1, b } = bm25;
  return (weight * frequency * (k1 + 1)) / (frequency + k1 * (1 - b + (b * length) / averageLength));
}

describe('BM25 by hand', () => {
  test('is what the formula says', () => {
    // Three times in a chunk of 8 words where 10 are usual: 3 · 2.2 / (3 + 1.2 · (0.25 + 0.75 · 0.8)) = 6.6 / 4.02.
    expect(termScore(1.481605, 3, 8, 10)).toBeCloseTo(2.432486, 5);
  });

  test('gives more for more often and for shorter', () => {
    const count = integer({ min: 1, max: 500 });
    const average = double({ min: 1, max: 500, noNaN: true });
    assert(
      property(count, count, average, (frequency, length, averageLength) => {
        const score = termScore(2, frequency, length, averageLength);
        expect(termScore(2, frequency + 1, length, averageLength)).toBeGreaterThan(score);
        expect(termScore(2, frequency, length + 1, averageLength)).toBeLessThan(score);
      }),
    );
  });

  test('is full when every word is there once, in a chunk of usual length', () => {
    const weights = [1.5, 4, 0.2];
    const scores = weights.map((weight) => termScore(weight, 1, 40, 40));
    const full = fullScore(weights.map((weight, at) => ({ term: BigInt(at), weight, count: 1 })));
    expect(scores.reduce((sum, score) => sum + score, 0)).toBeCloseTo(full, 10);
  });
});

describe('the keyword search', () => {
  let opened: TestDatabase;
  let database: Database;
  let rows: KnowledgeRows;

  beforeAll(async () => {
    opened = await createTestDatabase();
    database = opened.database;
    rows = knowledgeIn(database);
  });
  afterAll(() => opened.drop());

  const search = (workspaceId: string, question: string, botId?: string, limit = 10) =>
    searchKeywords(database, { workspaceId, botId }, question, limit);
  const find = async (...asked: Parameters<typeof search>) =>
    (await search(...asked)).map(({ chunkId }) => chunkId);

  /** The stored counts, and the counts of the rows themselves. */
  async function statistics(workspaceId: string) {
    const [kept] = await rows.rows<{ chunks: number; words: number }>(
      `select chunk_count::int as chunks, length_total::int as words from knowledge_statistics where workspace_id = $1`,
      [workspaceId],
    );
    const terms = await rows.rows<{ term: string; count: number }>(
      'select term::text, chunk_count as count from knowledge_terms where workspace_id = $1 order by term',
      [workspaceId],
    );
    const counted = await rows.rows<{ term: string; count: number }>(
      `select term::text, count(*)::int as count from knowledge_chunk_terms, unnest(terms) term
       where workspace_id = $1 group by term order by term`,
      [workspaceId],
    );
    const [whole] = await rows.rows<{ chunks: number; words: number }>(
      `select count(*)::int as chunks, coalesce(sum(length), 0)::int as words
       from knowledge_chunk_terms where workspace_id = $1`,
      [workspaceId],
    );
    return { kept: { ...kept, terms }, counted: { ...whole, terms: counted } };
  }

  async function countsHold(workspaceId: string): Promise<void> {
    const { kept, counted } = await statistics(workspaceId);
    expect(kept).toEqual(counted);
  }

  test('has the same scores as BM25 computed by hand', async () => {
    const workspaceId = await rows.makeWorkspace();
    const passages = [
      'red pump',
      'red red valve and hose',
      'green pump with a long red hose, a valve and a filter',
      'blue',
    ];
    const knowledgeId = await rows.makeSource(workspaceId, passages);
    const chunkIds = await rows.chunkIdsOf(knowledgeId);
    const words = passages.map((text) => wordsOf(text));
    const average = words.flat().length / words.length;
    const asked = ['red', 'pump', 'absent'];
    const weights = asked.map((word) =>
      inverseFrequency(words.length, words.filter((list) => list.includes(word)).length),
    );
    const full = fullScore(weights.map((weight) => ({ term: 0n, weight, count: 0 })));
    const expected = words
      .map((list, place) => {
        const scores = asked.map((word, at) => {
          const frequency = list.filter((one) => one === word).length;
          return termScore(weights[at] ?? 0, frequency, list.length, average);
        });
        return { chunkId: chunkIds[place], score: scores.reduce((sum, score) => sum + score, 0) / full };
      })
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score);
    const hits = await search(workspaceId, 'The absent red pumps');
    expect(hits.map(({ chunkId }) => chunkId)).toEqual(expected.map(({ chunkId }) => chunkId));
    for (const [place, { score }] of hits.entries())
      expect(score).toBeCloseTo(Math.min(1, expected[place]?.score ?? 0), 10);
  });

  test('finds names and numbers exactly', async () => {
    const workspaceId = await rows.makeWorkspace();
    const knowledgeId = await rows.makeSource(workspaceId, [
      'Error E-22 of the sensor',
      'Error E-31 of the tray',
    ]);
    const [first, second] = await rows.chunkIdsOf(knowledgeId);
    expect((await find(workspaceId, 'what is e22?'))[0]).toBe(first);
    expect((await find(workspaceId, 'E-31'))[0]).toBe(second);
  });

  test('a question without a known keyword finds nothing', async () => {
    const workspaceId = await rows.makeWorkspace();
    await rows.makeSource(workspaceId, ['What is it?']);
    expect(await find(workspaceId, 'what is it')).toEqual([]);
    expect(await find(workspaceId, '?!')).toEqual([]);
    expect(await find(workspaceId, 'zebra')).toEqual([]);
    expect(await find(await rows.makeWorkspace(), 'pump')).toEqual([]);
  });

  test('searches neither another workspace nor another bot', async () => {
    const [own, other] = [await rows.makeWorkspace(), await rows.makeWorkspace()];
    const [bot, otherBot] = [await rows.makeBot(own), await rows.makeBot(own)];
    await rows.makeSource(other, ['The pump of another workspace']);
    const everybody = await rows.chunkIdsOf(await rows.makeSource(own, ['The pump of everybody']));
    const mine = await rows.chunkIdsOf(await rows.makeSource(own, ['My own pump'], { botId: bot }));
    const others = await rows.chunkIdsOf(await rows.makeSource(own, ['Their pump'], { botId: otherBot }));
    expect((await find(own, 'pump', bot)).toSorted()).toEqual([...everybody, ...mine].toSorted());
    expect((await find(own, 'pump')).toSorted()).toEqual([...everybody, ...mine, ...others].toSorted());
  });

  test('a word that only another workspace has counts as unknown', async () => {
    const [own, other] = [await rows.makeWorkspace(), await rows.makeWorkspace()];
    await rows.makeSource(own, ['pump one', 'valve two']);
    const alone = await search(own, 'pump zebra');
    await rows.makeSource(other, ['zebra', 'zebra pump', 'pump']);
    expect(await search(own, 'pump zebra')).toEqual(alone);
  });

  test('an inactive source is not found until it is restored', async () => {
    const workspaceId = await rows.makeWorkspace();
    const knowledgeId = await rows.makeSource(workspaceId, ['The pump']);
    await rows.rows(`update knowledge set status = 'inactive' where id = $1`, [knowledgeId]);
    expect(await find(workspaceId, 'pump')).toEqual([]);
    await rows.rows(`update knowledge set status = 'active' where id = $1`, [knowledgeId]);
    expect(await find(workspaceId, 'pump')).toEqual(await rows.chunkIdsOf(knowledgeId));
  });

  test('the counts follow whatever is written, replaced and removed', async () => {
    const workspaceId = await rows.makeWorkspace();
    const first = await rows.makeSource(workspaceId, ['pump and valve', 'pump pump hose', '']);
    await countsHold(workspaceId);
    const second = await rows.makeSource(workspaceId, ['valve', 'filter']);
    await countsHold(workspaceId);
    await database.acrossWorkspaces.transaction((tx) =>
      chunkStore.replaceChunks(
        tx,
        workspaceId,
        first,
        chunksOf(workspaceId, ['pump pump hose', 'a new filter', 'pump and valve']),
      ),
    );
    await countsHold(workspaceId);
    await database.acrossWorkspaces.transaction((tx) =>
      chunkStore.replaceChunks(tx, workspaceId, second, []),
    );
    await countsHold(workspaceId);
    await rows.rows('delete from knowledge where id = $1', [first]);
    await countsHold(workspaceId);
    expect((await statistics(workspaceId)).kept).toEqual({ chunks: 0, words: 0, terms: [] });
  });

  test('the counts are correct after concurrent writes', async () => {
    const workspaceId = await rows.makeWorkspace();
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, place) =>
        rows.makeSource(workspaceId, [`pump valve hose ${place}`, `filter pump ${place % 3}`, 'valve hose']),
      ),
    );
    await countsHold(workspaceId);
    await Promise.all(
      made.map((knowledgeId, place) =>
        place % 2 === 0
          ? rows.rows('delete from knowledge where id = $1', [knowledgeId])
          : database.acrossWorkspaces.transaction((tx) =>
              chunkStore.replaceChunks(
                tx,
                workspaceId,
                knowledgeId,
                chunksOf(workspaceId, [`hose ${place}`, 'valve hose']),
              ),
            ),
      ),
    );
    await countsHold(workspaceId);
  });

  test('a transaction that is rolled back is not counted', async () => {
    const workspaceId = await rows.makeWorkspace();
    const knowledgeId = await rows.makeSource(workspaceId, ['pump']);
    const attempt = database.acrossWorkspaces.transaction(async (tx) => {
      await chunkStore.replaceChunks(tx, workspaceId, knowledgeId, chunksOf(workspaceId, ['valve', 'hose']));
      throw new Error('undone');
    });
    await expect(attempt).rejects.toThrow('undone');
    await countsHold(workspaceId);
    expect(await find(workspaceId, 'valve')).toEqual([]);
  });

  test('deleting a workspace deletes its counts', async () => {
    const workspaceId = await rows.makeWorkspace();
    await rows.makeSource(workspaceId, ['pump']);
    await rows.rows('delete from workspaces where id = $1', [workspaceId]);
    expect((await statistics(workspaceId)).kept).toEqual({ terms: [] });
  });
});

describe('chunks that are replaced', () => {
  let opened: TestDatabase;
  let rows: KnowledgeRows;
  beforeAll(async () => {
    opened = await createTestDatabase();
    rows = knowledgeIn(opened.database);
  });
  afterAll(() => opened.drop());

  test('keep their rows and vectors where they did not change', async () => {
    const { database } = opened;
    const workspaceId = await rows.makeWorkspace();
    const knowledgeId = await rows.makeSource(workspaceId, ['one', 'two', 'three']);
    const before = await rows.chunkIdsOf(knowledgeId);
    await database.acrossWorkspaces.transaction((tx) =>
      chunkStore.saveEmbeddings(
        tx,
        workspaceId,
        'test/model',
        before.map((chunkId) => ({ chunkId, vectors: [Float32Array.of(1, 0)] })),
      ),
    );
    await database.acrossWorkspaces.transaction((tx) =>
      chunkStore.replaceChunks(tx, workspaceId, knowledgeId, chunksOf(workspaceId, ['three', 'new', 'one'])),
    );
    const after = await rows.chunkIdsOf(knowledgeId);
    expect([after[0], after[2]]).toEqual([before[2], before[0]]);
    const missing = await chunkStore.listUnembedded(
      database.acrossWorkspaces,
      workspaceId,
      knowledgeId,
      'test/model',
      10,
    );
    expect(missing.map(({ id, content }) => ({ id, content }))).toEqual([{ id: after[1], content: 'new' }]);
    expect(
      await chunkStore.listUnembedded(database.acrossWorkspaces, workspaceId, undefined, 'test/other', 2),
    ).toHaveLength(2);
  });

  test('of another workspace are not touched', async () => {
    const { database } = opened;
    const [own, other] = [await rows.makeWorkspace(), await rows.makeWorkspace()];
    const knowledgeId = await rows.makeSource(own, ['mine']);
    await database.acrossWorkspaces.transaction((tx) => chunkStore.replaceChunks(tx, other, knowledgeId, []));
    expect(await rows.chunkIdsOf(knowledgeId)).toHaveLength(1);
    const [chunkId = ''] = await rows.chunkIdsOf(knowledgeId);
    const stolen = [{ chunkId, vectors: [Float32Array.of(1, 0)] }];
    await database.acrossWorkspaces.transaction((tx) =>
      chunkStore.saveEmbeddings(tx, other, 'test/model', stolen),
    );
    expect(await rows.rows('select from knowledge_embeddings where chunk_id = $1', [chunkId])).toEqual([]);
  });
});
