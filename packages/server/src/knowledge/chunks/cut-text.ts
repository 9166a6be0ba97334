// Each repetition is bounded, so that a text of nothing but full stops takes no longer than another.
const sentenceEnd = /\n+|[.!?…]{1,8}["'”’»)\]]{0,4}\s+|[。！？]+[」』”’）]*\s*/g;
const clauseEnd = /[;:,–—]\s+|[、，；：]|\|\s*/g;
const wordEnd = /\s+/g;

/**
 * A text as its sentences and lines, each with what follows it: together they are the text. What is shorter than the
 * least stays with what follows.
 */
export function cutSentences(text: string, least = 1): string[] {
  const sentences: string[] = [];
  let from = 0;
  for (const end of text.matchAll(sentenceEnd)) {
    const after = end.index + end[0].length;
    if (after - from < least) continue;
    sentences.push(text.slice(from, after));
    from = after;
  }
  if (from < text.length) sentences.push(text.slice(from));
  return sentences;
}

/** Where a piece of limited length ends: after a sentence, else a clause, else a word, else a character. */
export function findCut(text: string, from: number, least: number, most: number): number {
  if (from + most >= text.length) return text.length;
  const window = text.slice(from + least, from + most);
  for (const boundary of [sentenceEnd, clauseEnd, wordEnd]) {
    let found = 0;
    for (const match of window.matchAll(boundary)) found = match.index + match[0].length;
    if (found > 0) return from + least + found;
  }
  return wholeCharacter(text, from, from + most);
}

const belongsToBefore = /^(?:\p{M}|\u200d|\p{Emoji_Modifier})/u;
const maxCharacterLength = 32;

/** Never inside a character or before its combining marks, unless there are too many. */
function wholeCharacter(text: string, from: number, end: number): number {
  const lowest = Math.max(from, end - maxCharacterLength);
  for (let cut = end; cut > lowest; cut -= 1) {
    const joins = belongsToBefore.test(text.slice(cut, cut + 2)) || text[cut - 1] === '\u200d';
    if (!joins && !isInsidePair(text, cut)) return cut;
  }
  if (!isInsidePair(text, end)) return end;
  return end - 1 > from ? end - 1 : end + 1;
}

function isInsidePair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
}
