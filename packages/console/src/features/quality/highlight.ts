/** A piece of a text, and whether a claim in it has no source. */
export interface Piece {
  text: string;
  isUnsupported: boolean;
}

interface Range {
  start: number;
  end: number;
}

/**
 * Finds claims in an answer. A checker may quote them with other spaces, case or punctuation, or shorten them, so the longest run
 * of their words that occurs is marked; claims of which less than half is found are returned, to be shown beside the answer.
 */
export function highlightClaims(
  answer: string,
  claims: readonly string[],
): { pieces: Piece[]; elsewhere: string[] } {
  const words = wordsOf(answer);
  const ranges: Range[] = [];
  const elsewhere: string[] = [];
  for (const claim of claims) {
    const range = findRun(
      words,
      wordsOf(claim).map(({ word }) => word),
    );
    if (range) ranges.push(range);
    else elsewhere.push(claim);
  }
  return { pieces: cut(answer, merge(ranges)), elsewhere };
}

interface Word extends Range {
  word: string;
}

function wordsOf(text: string): Word[] {
  return [...text.matchAll(/[\p{L}\p{N}]+/gu)].map(({ 0: word, index }) => ({
    word: word.toLowerCase(),
    start: index,
    end: index + word.length,
  }));
}

function findRun(words: readonly Word[], claim: readonly string[]): Range | undefined {
  let best: { from: number; length: number } = { from: 0, length: 0 };
  // How long the run is that ends at the previous word and at each word of the claim.
  let ending = claim.map(() => 0);
  for (const [index, { word }] of words.entries()) {
    ending = claim.map((one, at) => (one === word ? (ending[at - 1] ?? 0) + 1 : 0));
    for (const length of ending) if (length > best.length) best = { from: index - length + 1, length };
  }
  const [first, last] = [words[best.from], words[best.from + best.length - 1]];
  if (!first || !last || best.length < Math.max(1, claim.length / 2)) return undefined;
  return { start: first.start, end: last.end };
}

function merge(ranges: readonly Range[]): Range[] {
  const merged: Range[] = [];
  for (const range of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (last && range.start <= last.end) last.end = Math.max(last.end, range.end);
    else merged.push({ ...range });
  }
  return merged;
}

function cut(text: string, ranges: readonly Range[]): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { start, end } of ranges) {
    if (start > from) pieces.push({ text: text.slice(from, start), isUnsupported: false });
    pieces.push({ text: text.slice(start, end), isUnsupported: true });
    from = end;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isUnsupported: false });
  return pieces;
}
