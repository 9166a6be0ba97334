import { stem } from './stem.ts';

/** Words that say nothing about a passage's topic. Questions are full of them. */
const stopWords = new Set(
  `a about above after again all also am an and any are as at be because been before being below between both but by can
   could did do does doing down during each few for from further get had has have having he her here hers him his how i if
   in into is it its itself just let me more most my no nor not now of off on once only or other our out over own please s
   same she should so some such t than that the their them then there these they this those through to too under until up
   us very want was we were what when where which while who whom whose why will with would you your`.split(
    /\s+/,
  ),
);

const accents = /[\u0300-\u036f]/g;
/** Letters and digits, including the separators within part numbers, versions and compounds. */
const joined = /[\p{L}\p{M}\p{N}]+(?:[-_./,'’][\p{L}\p{M}\p{N}]+)*/gu;
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+/gu;
const maxWordLength = 64;

/**
 * The words of a text as they are indexed: lower case, no accents, English endings removed. `E-4711` is found as
 * `e-4711`, `e4711` and `4711`. Scripts without spaces are cut into pairs of characters.
 */
export function wordsOf(text: string, stemOf: (word: string) => string = stem): string[] {
  const plain = text.normalize('NFKD').replace(accents, '').normalize('NFKC').toLowerCase();
  const words: string[] = [];
  const spaced = plain.replace(unspaced, (run) => {
    words.push(...pairsOf(run));
    return ' ';
  });
  for (const [compound] of spaced.matchAll(joined)) {
    const parts = compound
      .replace(/['’]s$/, '')
      .replace(/['’]/g, '')
      .split(/[-_./,]/);
    const whole = parts.join('');
    for (const word of parts.length > 1 ? [...parts, whole] : parts) {
      if (word !== '' && !stopWords.has(word)) words.push(stemOf(word.slice(0, maxWordLength)));
    }
  }
  return words;
}

function pairsOf(run: string): string[] {
  const characters = Array.from(run);
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
