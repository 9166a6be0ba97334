/** The part of a text that was heard, if this share of its sound was played: whole words only. */
export function heardPart(text: string, share: number): string {
  if (share >= 0.97) return text;
  const length = Math.floor(text.length * Math.max(0, share));
  // A word counts as heard when its end was.
  const end = /\s/.test(text[length] ?? '') ? length : text.slice(0, length).search(/\s\S*$/);
  return end <= 0 ? '' : text.slice(0, end);
}
