import { hash } from 'node:crypto';
import { stem } from './stem.ts';
import { wordsOf } from './words.ts';

/** What the index stores about a text. */
export interface TextTerms {
  /** The number of words, including repeated ones. */
  length: number;
  /** Each term with its number of occurrences. */
  frequencies: Map<bigint, number>;
}

const maxFrequency = 32_767;
const maxRemembered = 50_000;

export function termsOf(workspaceId: string, text: string): TextTerms {
  return createTermReader(workspaceId)(text);
}

/** For many texts of a workspace: words recur, so their stems and hashes are cached. */
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

/** 64 bits of a hash: collisions within a workspace are not to be expected. */
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
