const words = new Intl.Segmenter(undefined, { granularity: 'word' });
/** Languages that are written without spaces. */
const spaceless =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** The part of a text that was heard, if this share of its sound was played: whole words only. */
export function heardPart(text: string, share: number): string {
  if (share >= 0.97) return text;
  const length = Math.floor(text.length * Math.max(0, share));
  if (spaceless.test(text)) return text.slice(0, lastWordEnd(text, length));
  // A word counts as heard when its end was.
  const end = /\s/.test(text[length] ?? '') ? length : text.slice(0, length).search(/\s\S*$/);
  return end <= 0 ? '' : text.slice(0, end);
}

function lastWordEnd(text: string, length: number): number {
  const next = [...words.segment(text)].find(({ index, segment }) => index + segment.length > length);
  return next?.index ?? text.length;
}
