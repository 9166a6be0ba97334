/** The ends that may become the end of a piece, the best ones first. */
const ends = [/[.!?]["')]*(?=\s)/g, /[,;:](?=\s)/g, /(?=\s)/g];

/**
 * Cuts a text into pieces that are short enough to be spoken quickly: the first sound of a piece comes when all of it is made.
 * Whole sentences if possible, else parts of them, else words; a word that is too long is cut.
 */
export function splitText(text: string, maxLength: number): string[] {
  const pieces: string[] = [];
  let rest = text.trim();
  while (rest.length > maxLength) {
    const length = bestEnd(rest, maxLength);
    pieces.push(rest.slice(0, length).trim());
    rest = rest.slice(length).trim();
  }
  return rest ? [...pieces, rest] : pieces;
}

function bestEnd(text: string, maxLength: number): number {
  const start = text.slice(0, maxLength + 1);
  for (const end of ends) {
    const last = [...start.matchAll(end)].at(-1);
    const length = last ? last.index + last[0].length : 0;
    if (length > 0) return length;
  }
  // Not between the two halves of a character.
  return /[\ud800-\udbff]/.test(text[maxLength - 1] ?? '') ? maxLength - 1 : maxLength;
}
