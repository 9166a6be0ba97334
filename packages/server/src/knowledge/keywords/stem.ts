import { stemmer } from 'stemmer';

/**
 * The library treats these endings by rules that Porter added later. Stored terms follow his paper of 1980, and keep doing
 * so, because the later rules would require a reindex of all knowledge.
 */
const endingWithLaterRule = /(?:^|log|[^a]bl)(?:y|ies|is?)$/;

/**
 * Removes English endings: `refunds`, `refunded` and `refunding` become one word. Words of other languages lose an ending
 * now and then, but the same one in questions and in passages.
 */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  return endingWithLaterRule.test(word) ? word.replace(/(?:y|ies|is?)$/, 'i') : stemmer(word);
}
