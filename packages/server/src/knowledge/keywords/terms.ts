import { hash } from 'node:crypto';
import { wordsOf } from './words.ts';

/** What the index knows of a text. */
export interface TextTerms {
  /** Words, repeated ones included. */
  length: number;
  /** Each term once, with how often it is there. */
  frequencies: Map<bigint, number>;
}

const mostFrequent = 32_767;

export function termsOf(workspaceId: string, text: string): TextTerms {
  const words = wordsOf(text);
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, Math.min((counts.get(word) ?? 0) + 1, mostFrequent));
  return {
    length: words.length,
    frequencies: new Map([...counts].map(([word, count]) => [termOf(workspaceId, word), count])),
  };
}

/** 64 bits of a hash: two words of a workspace that share one are not to be expected. */
function termOf(workspaceId: string, word: string): bigint {
  return hash('sha256', `${workspaceId} ${word}`, 'buffer').readBigInt64BE(0);
}
