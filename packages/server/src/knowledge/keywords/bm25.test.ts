import { assert, double, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fetchingTerms, fullScore, inverseFrequency, termScore } from './bm25.ts';

describe('BM25', () => {
  it('is what a hand computes', () => {
    // Ten chunks, two of them with the word: ln(1 + (10 - 2 + 0.5) / (2 + 0.5)) = ln 4.4.
    expect(inverseFrequency(10, 2)).toBeCloseTo(1.481605, 6);
    // Three times in a chunk of 8 words where 10 are usual: 3 · 2.2 / (3 + 1.2 · (0.25 + 0.75 · 0.8)) = 6.6 / 4.02.
    expect(termScore(1.481605, 3, 8, 10)).toBeCloseTo(2.432486, 5);
  });

  it('never counts against a chunk, even if every chunk has the word', () => {
    assert(
      property(integer({ min: 1, max: 100_000 }), integer({ min: 0, max: 100_000 }), (chunks, some) => {
        expect(inverseFrequency(chunks, Math.min(chunks, some))).toBeGreaterThan(0);
      }),
    );
  });

  it('gives more for rarer, for more often and for shorter', () => {
    const count = integer({ min: 1, max: 500 });
    assert(
      property(
        count,
        count,
        count,
        double({ min: 1, max: 500, noNaN: true }),
        (count1, frequency, length, average) => {
          const weight = inverseFrequency(1_000, count1);
          expect(inverseFrequency(1_000, count1 + 1)).toBeLessThan(weight);
          const score = termScore(weight, frequency, length, average);
          expect(termScore(weight, frequency + 1, length, average)).toBeGreaterThan(score);
          expect(termScore(weight, frequency, length + 1, average)).toBeLessThan(score);
        },
      ),
    );
  });

  it('is full when every word is there once, in a chunk of usual length', () => {
    const weights = [1.5, 4, 0.2];
    const scores = weights.map((weight) => termScore(weight, 1, 40, 40));
    const full = fullScore(weights.map((weight, at) => ({ term: BigInt(at), weight, count: 1 })));
    expect(scores.reduce((sum, score) => sum + score, 0)).toBeCloseTo(full, 10);
  });

  it('fetches by the rarest words, as long as they fetch little', () => {
    const terms = [
      { term: 1n, weight: 1, count: 900 },
      { term: 2n, weight: 5, count: 20 },
      { term: 3n, weight: 9, count: 0 },
      { term: 4n, weight: 4, count: 70 },
    ];
    expect(fetchingTerms(terms, 100)).toEqual([2n, 4n]);
    expect(fetchingTerms(terms, 1_000)).toEqual([2n, 4n, 1n]);
    // One word is looked for however common it is.
    expect(fetchingTerms(terms.slice(0, 1), 100)).toEqual([1n]);
    expect(fetchingTerms([], 100)).toEqual([]);
  });
});
