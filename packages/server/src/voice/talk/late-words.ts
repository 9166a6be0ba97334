/**
 * What is new in a text of the recognizer, when the caller was considered to have finished before its text was final: the final text
 * then repeats the words of that turn. Without any speech since then, all of it belongs to that turn.
 */
export function newWords(text: string, answered: string, hasSpokenSince: boolean): string {
  const known = wordsOf(answered);
  const all = wordsOf(text);
  const isRepeated = known.every((word, index) => comparable(all[index] ?? '') === comparable(word));
  const rest = isRepeated ? all.slice(known.length).join(' ') : '';
  // The caller may have said the same again: better twice than lost.
  return rest === '' && hasSpokenSince ? text : rest;
}

/** Whether two texts differ by case and punctuation alone. */
export function isSameText(one: string, other: string): boolean {
  const [words, others] = [wordsOf(one).map(comparable), wordsOf(other).map(comparable)];
  return words.join(' ') === others.join(' ');
}

const wordsOf = (text: string) => text.split(/\s+/).filter(Boolean);

const comparable = (word: string) => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
