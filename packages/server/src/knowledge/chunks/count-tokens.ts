import { countTokens as count, setMergeCacheSize } from 'gpt-tokenizer/encoding/cl100k_base';

// A full cache makes each count scan a hundred thousand entries; without a cache every text is slow.
setMergeCacheSize(0);

/** Special tokens are ordinary text here. */
const plainText = { disallowedSpecial: new Set<string>() };

/** Runs that a tokenizer treats as one word but no language has. */
const longWord = /\p{L}{100,}|[^\s\p{L}\p{N}]{100,}/gu;
const tokensPerByte = 0.6;

/**
 * Tokens as the usual embedding models count them. Endless words are estimated, on the high side, because the time to count
 * one grows with the square of its length.
 */
export function countTokens(text: string): number {
  let estimated = 0;
  const rest = text.replaceAll(longWord, (word) => {
    estimated += Math.ceil(Buffer.byteLength(word) * tokensPerByte);
    return ' ';
  });
  return estimated + count(rest, plainText);
}
