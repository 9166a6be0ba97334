import { estimateTokens } from './token-estimate.ts';

/**
 * Cuts the longest of several texts so that all of them fit together: short ones stay whole and leave the rest of their
 * share to the others. A cut text keeps its beginning and its end, and a note of how much is missing.
 */
export function fitTexts(texts: readonly string[], maxTokens: number): string[] {
  const tokens = texts.map(estimateTokens);
  const most = fairShare(tokens, maxTokens);
  return texts.map((text, index) => ((tokens[index] ?? 0) > most ? cut(text, most) : text));
}

/** The largest share with which all texts fit, when short texts take only what they need. */
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

function cut(text: string, maxTokens: number): string {
  // A token is about four bytes, and a character has up to four.
  const kept = Math.floor((maxTokens * 4 * text.length) / Buffer.byteLength(text));
  const head = text.slice(0, Math.ceil(kept * 0.7));
  const tail = kept > 0 ? text.slice(-Math.floor(kept * 0.3) || text.length) : '';
  return `${head} […${text.length - head.length - tail.length} characters left out…] ${tail}`.toWellFormed();
}
