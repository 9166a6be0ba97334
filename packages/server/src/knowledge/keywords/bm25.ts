/** The usual values: how quickly repeated words stop counting, and how much long passages are penalised. */
export const bm25 = { k1: 1.2, b: 0.75 };

/** The weight of a word: high when few chunks have it. Never negative, unlike the formula in the first papers. */
export function inverseFrequency(chunkCount: number, withTerm: number): number {
  return Math.log(1 + (chunkCount - withTerm + 0.5) / (withTerm + 0.5));
}

export interface WeighedTerm {
  term: bigint;
  weight: number;
  /** The number of chunks that have it. */
  count: number;
}

/** The score of a chunk of average length that has every word of the question once. */
export function fullScore(terms: readonly WeighedTerm[]): number {
  return terms.reduce((sum, { weight }) => sum + weight, 0);
}

/**
 * The words by which chunks are fetched: the rarest first, until together they may fetch more than `most` chunks. All
 * words count in the score of what was fetched. A word that half of the chunks have decides nothing, and reading them
 * all for it is what makes a search slow.
 */
export function fetchingTerms(terms: readonly WeighedTerm[], most: number): bigint[] {
  const rarestFirst = terms
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => one.count - other.count);
  let chunks = 0;
  const chosen: bigint[] = [];
  for (const { term, count } of rarestFirst) {
    chunks += count;
    if (chosen.length > 0 && chunks > most) break;
    chosen.push(term);
  }
  return chosen;
}
