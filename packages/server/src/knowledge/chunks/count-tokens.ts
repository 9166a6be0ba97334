import { countTokens as count, setMergeCacheSize } from 'gpt-tokenizer/encoding/cl100k_base';

// Once full, it makes each count wait for a walk through a hundred thousand entries; without it all texts take their time.
setMergeCacheSize(0);

/** What looks like a command to a tokenizer is text like any other here. */
const plainText = { disallowedSpecial: new Set<string>() };

/** What a tokenizer would take as one word, and no language has. */
const longWord = /\p{L}{100,}|[^\s\p{L}\p{N}]{100,}/gu;
const tokensPerByte = 0.6;

/**
 * Tokens as the usual embedding models count them. Words without end are estimated, rather high: the time to count one grows
 * with the square of its length.
 */
export function countTokens(text: string): number {
  let estimated = 0;
  const rest = text.replaceAll(longWord, (word) => {
    estimated += Math.ceil(Buffer.byteLength(word) * tokensPerByte);
    return ' ';
  });
  return estimated + count(rest, plainText);
}
