import type { PlacedText } from './placed-text.ts';
import { hasRightToLeft, inReadingOrder, isRightToLeft } from './reading-order.ts';

export interface Line {
  text: string;
  x: number;
  y: number;
  /** The size of most of its letters. */
  size: number;
}

/** Joins the pieces of a page into lines, in drawing order. */
export function gatherLines(pieces: readonly PlacedText[]): Line[] {
  const isRtl = isRightToLeft(pieces.map(({ text }) => text).join(''));
  const lines: Line[] = [];
  let current: PlacedText[] = [];
  const finish = () => {
    const line = toLine(current, isRtl);
    if (line) lines.push(line);
    current = [];
  };
  for (const piece of pieces) {
    if (piece.text.trim() !== '' && current.length > 0 && !isSameLine(current, piece)) finish();
    current.push(piece);
    if (piece.endsLine) finish();
  }
  finish();
  return lines;
}

function isSameLine(line: readonly PlacedText[], piece: PlacedText): boolean {
  const last = line.findLast(({ text }) => text.trim() !== '');
  if (!last) return true;
  const tolerance = Math.max(last.size, piece.size, 1) * 0.5;
  if (Math.abs(last.y - piece.y) > tolerance) return false;
  return piece.x >= last.x - tolerance || hasRightToLeft(last.text) || hasRightToLeft(piece.text);
}

function toLine(drawn: readonly PlacedText[], isRtlText: boolean): Line | undefined {
  // An empty piece, which ends a line, is where the next one begins.
  const written = drawn.filter((piece) => piece.text !== '');
  const isRtl = isRightToLeft(written.map((piece) => piece.text).join(''), isRtlText);
  const pieces = inReadingOrder(written, isRtl);
  const [first, ...others] = pieces.filter(({ text }) => text.trim() !== '');
  if (!first) return undefined;
  let joined = '';
  let last: PlacedText | undefined;
  for (const piece of pieces) {
    const needsSpace = gap(last, piece) > piece.size * 0.2 && !/\s$/.test(joined) && !/^\s/.test(piece.text);
    joined += needsSpace ? ` ${piece.text}` : piece.text;
    if (piece.text.trim() !== '') last = piece;
  }
  const visible = [first, ...others];
  const size = mostCommon(visible.map((piece) => [round(piece.size), piece.text.length]));
  const text = joined.replaceAll(/\s+/g, ' ').trim();
  // From the right, where such a line begins, so that a larger number is further in here, too.
  const x = isRtl ? -(first.x + first.width) : first.x;
  return { text, x, y: first.y, size };
}

function gap(last: PlacedText | undefined, piece: PlacedText): number {
  if (!last) return 0;
  return Math.max(piece.x - last.x - last.width, last.x - piece.x - piece.width);
}

export function round(size: number): number {
  return Math.round(size * 2) / 2;
}

/** The value with the most weight; 0 when there is none. */
export function mostCommon(weighted: Iterable<readonly [value: number, weight: number]>): number {
  const weights = new Map<number, number>();
  for (const [value, weight] of weighted) weights.set(value, (weights.get(value) ?? 0) + weight);
  let best = 0;
  let most = -1;
  for (const [value, weight] of weights) {
    if (weight > most) [best, most] = [value, weight];
  }
  return best;
}

/** Joins two lines of a paragraph and rejoins a hyphenated word. */
export function joinLines(text: string, next: string): string {
  if (text === '') return next;
  if (/\p{Ll}[-\u2010]$/u.test(text) && /^\p{Ll}/u.test(next)) return text.slice(0, -1) + next;
  const isDense =
    /[\u3001-\u30ff\u3400-\u9fff\uff00-\uffef]$/.test(text) && /^[\u3001-\u30ff\u3400-\u9fff]/.test(next);
  return isDense ? text + next : `${text} ${next}`;
}

export function endsSentence(text: string): boolean {
  return /[.!?:…。！？؟۔]["'”’)\]]?$/.test(text);
}
