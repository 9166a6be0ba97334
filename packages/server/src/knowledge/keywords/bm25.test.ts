import { assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fetchingTerms, inverseFrequency } from './bm25.ts';

describe('BM25', () => {
  it('is what a hand computes', () => {
    // Ten chunks, two of them with the word: ln(1 + (10 - 2 + 0.5) / (2 + 0.5)) = ln 4.4.
    expect(inverseFrequency(10, 2)).toBeCloseTo(1.481605, 6);
  });

  it('never counts against a chunk, even if every chunk has the word', () => {
    assert(
      property(integer({ min: 1, max: 100_000 }), integer({ min: 0, max: 100_000 }), (chunks, some) => {
        expect(inverseFrequency(chunks, Math.min(chunks, some))).toBeGreaterThan(0);
      }),
    );
  });

  it('gives more for rarer words', () => {
    assert(
      property(integer({ min: 1, max: 500 }), (count) => {
        expect(inverseFrequency(1_000, count + 1)).toBeLessThan(inverseFrequency(1_000, count));
      }),
    );
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
