/** A person repeats a phrase a few times at most. */
const maxRepetitions = 3;
const longestPhrase = 8;

/**
 * What the model understood, without what it invents: on noise it repeats a word or phrase until it may not write more. Such a
 * repetition is shortened to one. Empty if no word is left.
 */
export function plausibleText(text: string): string {
  const words = text.replaceAll('\ufffd', '').split(/\s+/).filter(Boolean);
  const kept: string[] = [];
  for (let index = 0; index < words.length; ) {
    const length = repeatedPhrase(words, index);
    kept.push(...words.slice(index, index + Math.max(1, length)));
    index += length > 0 ? length * countRepetitions(words, index, length) : 1;
  }
  const result = kept.join(' ');
  return /[\p{L}\p{N}]/u.test(result) ? result : '';
}

/** The length of the phrase that begins here and is repeated implausibly often; 0 if there is none. */
function repeatedPhrase(words: string[], start: number): number {
  for (let length = 1; length <= longestPhrase; length += 1) {
    if (countRepetitions(words, start, length) > maxRepetitions) return length;
  }
  return 0;
}

function countRepetitions(words: string[], start: number, length: number): number {
  const phrase = comparable(words.slice(start, start + length));
  let count = 1;
  for (let next = start + length; next + length <= words.length; next += length) {
    if (comparable(words.slice(next, next + length)) !== phrase) break;
    count += 1;
  }
  return count;
}

function comparable(words: string[]): string {
  return words
    .join(' ')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} ]/gu, '');
}
