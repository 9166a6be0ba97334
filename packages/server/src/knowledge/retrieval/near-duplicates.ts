import { wordsOf } from '../keywords/words.ts';

/** Texts that share so much of their words say the same. */
const sameShare = 0.85;

/** Keeps the first of texts that say the same, until there are enough. */
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

/** Of the words that either has, those that both have. */
function shareOfWords(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let both = 0;
  for (const word of one) if (other.has(word)) both += 1;
  const all = one.size + other.size - both;
  return all === 0 ? 1 : both / all;
}
