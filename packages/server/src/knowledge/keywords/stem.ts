/**
 * Porter's stemmer for English, after his paper of 1980: `refunds`, `refunded` and `refunding` become one word. Words of
 * other languages lose an ending now and then, the same one in questions and in passages.
 */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  let result = word
    .replace(/sses$/, 'ss')
    .replace(/ies$/, 'i')
    .replace(/(?<!s)s$/, '');
  result = pastAndParticiple(result);
  if (hasVowel(result.slice(0, -1)) && result.endsWith('y')) result = `${result.slice(0, -1)}i`;
  result = replaceEnding(result, doubleEndings, 0);
  result = replaceEnding(result, derivedEndings, 0);
  result = removeEnding(result);
  return tidyEnd(result);
}

const doubleEndings: readonly [string, string][] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
];
const derivedEndings: readonly [string, string][] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];
const lastEndings =
  /(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|al|er|ic|ou|(?<=[st])ion)$/;

function pastAndParticiple(word: string): string {
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const root = word.replace(/(?:ed|ing)$/, '');
  if (root === word || !hasVowel(root)) return word;
  if (/(?:at|bl|iz)$/.test(root)) return `${root}e`;
  if (endsDouble(root) && !/[lsz]$/.test(root)) return root.slice(0, -1);
  return measure(root) === 1 && endsShort(root) ? `${root}e` : root;
}

function replaceEnding(word: string, endings: readonly [string, string][], leastMeasure: number): string {
  // The longest ending that fits decides, even if its root is then too short to change.
  const found = endings
    .filter(([ending]) => word.endsWith(ending))
    .toSorted(([one], [other]) => other.length - one.length)[0];
  if (!found) return word;
  const root = word.slice(0, -found[0].length);
  return measure(root) > leastMeasure ? root + found[1] : word;
}

function removeEnding(word: string): string {
  const found = lastEndings.exec(word)?.[0];
  if (found === undefined) return word;
  const root = word.slice(0, -found.length);
  return measure(root) > 1 ? root : word;
}

function tidyEnd(word: string): string {
  let result = word;
  if (result.endsWith('e')) {
    const root = result.slice(0, -1);
    if (measure(root) > 1 || (measure(root) === 1 && !endsShort(root))) result = root;
  }
  return result.endsWith('ll') && measure(result.slice(0, -1)) > 1 ? result.slice(0, -1) : result;
}

/** C for consonants, V for vowels; a y after a consonant is one. */
function shape(word: string): string {
  return word
    .replace(/[aeiou]/g, 'V')
    .replace(/(?<=^|V)y/g, 'C')
    .replace(/y/g, 'V')
    .replace(/[^V]/g, 'C');
}

/** How often a consonant follows a vowel. */
function measure(word: string): number {
  return shape(word).match(/V+C+/g)?.length ?? 0;
}

function hasVowel(word: string): boolean {
  return shape(word).includes('V');
}

function endsDouble(word: string): boolean {
  return /([a-z])\1$/.test(word) && shape(word).endsWith('CC');
}

/** Consonant, vowel, consonant at the end, the last one not w, x or y. */
function endsShort(word: string): boolean {
  return shape(word).endsWith('CVC') && !/[wxy]$/.test(word);
}
