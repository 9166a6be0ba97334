/**
 * Cuts a passage into pieces that the embedder reads completely, at ends of sentences where possible; text beyond its limit
 * would not be found. A passage that fits is one piece.
 */
export function piecesOf(headings: readonly string[], content: string, maxCharacters: number): string[] {
  const whole = [...headings, content].join('\n');
  if (whole.length <= maxCharacters) return [whole];
  // The innermost heading describes a piece best, as long as it leaves room for the piece.
  const heading = headings.at(-1)?.slice(0, maxCharacters / 4) ?? '';
  const room = maxCharacters - heading.length - 1;
  const pieces: string[] = [];
  let current = '';
  for (const sentence of sentencesOf(content, room)) {
    if (current !== '' && current.length + sentence.length > room) {
      pieces.push(current);
      current = '';
    }
    current += sentence;
  }
  if (current.trim() !== '') pieces.push(current);
  return pieces.map((piece) => (heading ? `${heading}\n${piece.trim()}` : piece.trim()));
}

/** Sentences with the spaces after them; one that is too long is sliced. */
function sentencesOf(text: string, most: number): string[] {
  const sentences = text.match(/[^.!?。！？\n]*(?:[.!?。！？\n]+\s*|$)/gu) ?? [text];
  return sentences.flatMap((sentence) => slicesOf(sentence, most));
}

/** Cuts after a space where there is one, and never inside a character. */
function slicesOf(text: string, most: number): string[] {
  const slices: string[] = [];
  let rest = text;
  while (rest.length > most) {
    const space = rest.lastIndexOf(' ', most - 1) + 1;
    const cut = space > 0 ? space : most - (isLowSurrogate(rest, most) ? 1 : 0);
    slices.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return rest === '' ? slices : [...slices, rest];
}

function isLowSurrogate(text: string, place: number): boolean {
  return /^[\udc00-\udfff]/.test(text.slice(place, place + 1));
}
