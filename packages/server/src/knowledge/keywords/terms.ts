import { hash } from 'node:crypto';
import { stem } from './stem.ts';
import { wordsOf } from './words.ts';

/** What the index knows of a text. */
export interface TextTerms {
  /** Words, repeated ones included. */
  length: number;
  /** Each term once, with how often it is there. */
  frequencies: Map<bigint, number>;
}

const maxFrequency = 32_767;
const maxRemembered = 50_000;

export function termsOf(workspaceId: string, text: string): TextTerms {
  return createTermReader(workspaceId)(text);
}

/** For many texts of a workspace: texts repeat their words, and what was worked out for one is remembered. */
export function createTermReader(workspaceId: string): (text: string) => TextTerms {
  const stemOf = remember(stem);
  const termOf = remember((word) => toTerm(workspaceId, word));
  return (text) => {
    const words = wordsOf(text, stemOf);
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, Math.min((counts.get(word) ?? 0) + 1, maxFrequency));
    return {
      length: words.length,
      frequencies: new Map([...counts].map(([word, count]) => [termOf(word), count])),
    };
  };
}

/** 64 bits of a hash: two words of a workspace that share one are not to be expected. */
function toTerm(workspaceId: string, word: string): bigint {
  return hash('sha256', `${workspaceId} ${word}`, 'buffer').readBigInt64BE(0);
}

function remember<Value>(work: (word: string) => Value): (word: string) => Value {
  const known = new Map<string, Value>();
  return (word) => {
    const found = known.get(word);
    if (found !== undefined) return found;
    if (known.size >= maxRemembered) known.clear();
    const made = work(word);
    known.set(word, made);
    return made;
  };
}
