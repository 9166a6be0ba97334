import { wordsOf } from '../keywords/words.ts';

/** Texts that share this much of their words are duplicates. */
const sameShare = 0.85;

/** Keeps the first of each group of near duplicates, until there are enough. */
export function withoutNearDuplicates<Passage>(
  passages: readonly Passage[],
  textOf: (passage: Passage) => string,
  limit: number,
): Passage[] {
  const kept: { passage: Passage; words: Set<string> }[] = [];
  for (const passage of passages) {
    if (kept.length >= limit) break;
    const words = new Set(wordsOf(textOf(passage)));
    if (!kept.some((other) => shareOfWords(words, other.words) >= sameShare)) kept.push({ passage, words });
  }
  return kept.map(({ passage }) => passage);
}

/** The Jaccard similarity: shared words by all words. */
function shareOfWords(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let both = 0;
  for (const word of one) if (other.has(word)) both += 1;
  const all = one.size + other.size - both;
  return all === 0 ? 1 : both / all;
}
