import { estimateTokens } from './token-estimate.ts';

/**
 * Cuts the longest of several texts so that all of them fit together: short ones stay whole, and what they do not use of
 * their share is the others'. A cut text keeps its beginning and its end and says how much is gone.
 */
export function fitTexts(texts: readonly string[], mostTokens: number): string[] {
  const tokens = texts.map(estimateTokens);
  const most = fairShare(tokens, mostTokens);
  return texts.map((text, index) => ((tokens[index] ?? 0) > most ? cut(text, most) : text));
}

/** The share that uses up everything when whoever needs less takes only that. */
function fairShare(needs: readonly number[], total: number): number {
  let left = total;
  let sharers = needs.length;
  for (const need of needs.toSorted((one, other) => one - other)) {
    const share = left / sharers;
    if (need > share) return share;
    left -= need;
    sharers -= 1;
  }
  return Number.POSITIVE_INFINITY;
}

function cut(text: string, mostTokens: number): string {
  // A token is about four bytes, and a character has up to four.
  const kept = Math.floor((mostTokens * 4 * text.length) / Buffer.byteLength(text));
  const head = text.slice(0, Math.ceil(kept * 0.7));
  const tail = kept > 0 ? text.slice(-Math.floor(kept * 0.3) || text.length) : '';
  return `${head} […${text.length - head.length - tail.length} characters left out…] ${tail}`.toWellFormed();
}
