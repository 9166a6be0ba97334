import { array, assert, constantFrom, double, property, record, uniqueArray } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aboveFloor, fuse, similarityScale } from './fuse.ts';

const model = 'builtin/sentence-encoder';
const order = (legs: Omit<Parameters<typeof fuse>[0], 'model'>) =>
  fuse({ ...legs, model }).map(({ chunkId }) => chunkId);

describe('fusing', () => {
  it('one chance word does not beat a passage that means it', () => {
    const vector = [
      { chunkId: 'meant', similarity: 0.5 },
      { chunkId: 'chance', similarity: 0.3 },
    ];
    expect(order({ vector, keyword: [{ chunkId: 'chance', score: 0.3, isEmbedded: true }] })).toEqual([
      'meant',
      'chance',
    ]);
  });

  it('a name that is there word by word beats a passage that sounds alike', () => {
    const vector = [
      { chunkId: 'alike', similarity: 0.35 },
      { chunkId: 'named', similarity: 0.15 },
    ];
    expect(order({ vector, keyword: [{ chunkId: 'named', score: 0.95, isEmbedded: true }] })).toEqual([
      'named',
      'alike',
    ]);
  });

  it('what both find comes before what one finds as well', () => {
    const vector = [
      { chunkId: 'one', similarity: 0.45 },
      { chunkId: 'both', similarity: 0.45 },
    ];
    const keyword = [
      { chunkId: 'both', score: 0.6, isEmbedded: true },
      { chunkId: 'other', score: 0.6, isEmbedded: true },
    ];
    expect(order({ vector, keyword })).toEqual(['both', 'one', 'other']);
  });

  it('without vectors the words decide', () => {
    const keyword = [
      { chunkId: 'much', score: 0.8, isEmbedded: true },
      { chunkId: 'little', score: 0.35, isEmbedded: true },
    ];
    expect(fuse({ vector: undefined, keyword, model: undefined })).toMatchObject([
      { chunkId: 'much', score: 0.8, vectorScore: 0 },
      { chunkId: 'little', score: 0.35, vectorScore: 0 },
    ]);
  });

  it('what has no vectors yet is judged by its words, as without a model', () => {
    const vector = [{ chunkId: 'alike', similarity: 0.35 }];
    const keyword = [
      { chunkId: 'new', score: 0.45, isEmbedded: false },
      { chunkId: 'far', score: 0.45, isEmbedded: true },
    ];
    const fused = fuse({ vector, keyword, model });
    expect(fused.map(({ chunkId }) => chunkId)).toEqual(['new', 'alike', 'far']);
    expect(fused[0]).toMatchObject({ score: 0.45, vectorScore: 0, byWordsOnly: true });
    expect(aboveFloor(fused)[0]).toMatchObject({ chunkId: 'new' });
  });

  it('where the vectors find nothing at all the words decide', () => {
    const keyword = [{ chunkId: 'named', score: 0.5, isEmbedded: true }];
    expect(fuse({ vector: [], keyword, model })).toMatchObject([{ score: 0.5, byWordsOnly: true }]);
  });

  it('better in both is never worse in all, and each is there once', () => {
    const share = double({ min: 0, max: 1, noNaN: true });
    const hits = uniqueArray(constantFrom('a', 'b', 'c', 'd', 'e')).chain((ids) =>
      array(record({ similarity: share, score: share }), {
        minLength: ids.length,
        maxLength: ids.length,
      }).map((scores) =>
        ids.map((chunkId, place) => ({ chunkId, ...(scores[place] ?? { similarity: 0, score: 0 }) })),
      ),
    );
    assert(
      property(hits, (given) => {
        const fused = fuse({
          vector: given,
          keyword: given.map((hit) => ({ ...hit, isEmbedded: true })),
          model,
        });
        expect(fused.map(({ chunkId }) => chunkId).toSorted()).toEqual(
          given.map(({ chunkId }) => chunkId).toSorted(),
        );
        for (const one of fused) {
          for (const other of fused) {
            if (one.vectorScore >= other.vectorScore && one.keywordScore >= other.keywordScore) {
              expect(one.score).toBeGreaterThanOrEqual(other.score);
            }
          }
        }
      }),
    );
  });
});

describe('the floor', () => {
  const hit = (vectorScore: number, keywordScore: number, score = vectorScore, byWordsOnly = false) => ({
    chunkId: `${vectorScore} ${keywordScore}`,
    score,
    vectorScore,
    keywordScore,
    byWordsOnly,
  });

  it('shows nothing when nothing makes a case', () => {
    expect(aboveFloor([hit(0.3, 0.1), hit(0.2, 0)])).toEqual([]);
    expect(aboveFloor([])).toEqual([]);
  });

  it('meaning, words, or some of both make a case', () => {
    for (const sample of [hit(0.7, 0), hit(0, 0.9, 0.3), hit(0.4, 0.3)]) {
      expect(aboveFloor([sample])).toEqual([sample]);
    }
  });

  it('leaves out what is far behind the best', () => {
    expect(aboveFloor([hit(0.9, 0), hit(0.5, 0), hit(0.2, 0), hit(0, 0)])).toHaveLength(2);
  });

  it('without vectors asks for more words', () => {
    expect(aboveFloor([hit(0, 0.25, 0.25, true)])).toEqual([]);
    expect(aboveFloor([hit(0, 0.5, 0.5, true)])).toHaveLength(1);
  });
});

describe('what a cosine means', () => {
  it('depends on the model', () => {
    expect(similarityScale(model)(0.6)).toBeCloseTo(1);
    expect(similarityScale('openai/text-embedding-ada-002')(0.6)).toBe(0);
    expect(similarityScale(undefined)(0.3)).toBeCloseTo(0.5);
    expect(similarityScale('somebody/else')(-1)).toBe(0);
  });
});
