import { findCut } from '../chunks/cut-text.ts';

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
  for (let from = 0; from < content.length; ) {
    const end = findCut(content, from, Math.floor(room / 2), room);
    pieces.push(content.slice(from, end).trim());
    from = end;
  }
  return pieces.filter((piece) => piece !== '').map((piece) => (heading ? `${heading}\n${piece}` : piece));
}
