import type { PlacedText } from './placed-text.ts';

type Direction = 'ltr' | 'rtl';

/** Hebrew, Arabic and their neighbours, without digits, which are written from left to right. */
const rtlLetter = /[\u0590-\u065f\u066a-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const rtlLetters = new RegExp(rtlLetter, 'g');
/** Forms of letters by their place in a word, and ligatures, which searches would not find. */
const presentationForms = /[\ufb00-\ufdfb\ufe70-\ufefc]/g;

/** Whether the text is written from right to left: most of it, or a third of it in a context that is. */
export function isRightToLeft(text: string, isContext = false): boolean {
  const count = text.match(rtlLetters)?.length ?? 0;
  return count > 0 && count * (isContext ? 3 : 2) >= (text.match(/\p{L}/gu)?.length ?? 0);
}

export function hasRightToLeft(text: string): boolean {
  return rtlLetter.test(text);
}

/** Plain letters instead of their presentation forms. A mark of its own comes apart into a space and the mark. */
export function withPlainLetters(text: string): string {
  return text.replaceAll(presentationForms, (form) => form.normalize('NFKC').trimStart());
}

/**
 * The pieces of one line as they are read. Files have them in the order of drawing, which for Arabic and Hebrew is often from left to
 * right. Numbers and words of other scripts within such a text stay from left to right, and the other way round.
 */
export function inReadingOrder(pieces: readonly PlacedText[], isRtl: boolean): readonly PlacedText[] {
  if (!pieces.some(({ text }) => hasRightToLeft(text))) return pieces;
  const base: Direction = isRtl ? 'rtl' : 'ltr';
  const placed = pieces.toSorted((a, b) => a.x - b.x);
  const directions = resolve(
    placed.map(({ text }) => directionOf(text)),
    base,
  );
  const runs: PlacedText[][] = [];
  for (const [index, piece] of placed.entries()) {
    if (index > 0 && directions[index] === directions[index - 1]) runs.at(-1)?.push(piece);
    else runs.push([piece]);
  }
  const order = (turn: (piece: PlacedText) => PlacedText) => {
    let first = 0;
    const read = runs.map((run) => {
      const isReversed = directions[first] === 'rtl';
      first += run.length;
      return isReversed ? run.map(turn).toReversed() : run;
    });
    return (base === 'rtl' ? read.toReversed() : read).flat();
  };
  const asWritten = order((piece) => piece);
  const turned = order(withTurnedBrackets);
  return unpaired(turned) < unpaired(asWritten) ? turned : asWritten;
}

const brackets = '()[]{}<>«»';

/** An opening bracket in text from right to left looks like a closing one, and some programs call it that. */
function withTurnedBrackets(piece: PlacedText): PlacedText {
  const turn = (bracket: string) => brackets[brackets.indexOf(bracket) ^ 1] ?? '';
  return { ...piece, text: piece.text.replaceAll(/[()[\]{}<>«»]/g, turn) };
}

/** The number of brackets without another one. */
function unpaired(pieces: readonly PlacedText[]): number {
  let open = 0;
  let unopened = 0;
  for (const [bracket] of pieces
    .map(({ text }) => text)
    .join('')
    .matchAll(/[()[\]{}<>«»]/g)) {
    if (brackets.indexOf(bracket) % 2 === 0) open += 1;
    else if (open > 0) open -= 1;
    else unopened += 1;
  }
  return open + unopened;
}

/** Undefined for spaces and punctuation. */
function directionOf(text: string): Direction | undefined {
  if (hasRightToLeft(text)) return 'rtl';
  return /[\p{L}\p{N}]/u.test(text) ? 'ltr' : undefined;
}

/** What is between two pieces of one direction has it too; everything else has that of the line. */
function resolve(found: readonly (Direction | undefined)[], base: Direction): Direction[] {
  const next: (Direction | undefined)[] = [];
  for (let index = found.length - 1, after: Direction | undefined; index >= 0; index -= 1) {
    after = found[index] ?? after;
    next[index] = after;
  }
  let before: Direction | undefined;
  return found.map((direction, index) => {
    before = direction ?? before;
    return direction ?? (before !== undefined && before === next[index] ? before : base);
  });
}
