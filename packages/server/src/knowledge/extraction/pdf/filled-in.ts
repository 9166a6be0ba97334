import { mostCommon, round } from './lines.ts';
import type { PlacedText } from './placed-text.ts';

/** What a person has filled into a page: the value of a field, or text written onto the page. */
export interface FilledIn {
  text: string;
  /** What a field asks for; not drawn on the page. */
  label: string;
  /** Left, bottom, right and top. */
  box: readonly [number, number, number, number];
}

/** The part that is used of what the package says of an annotation. */
export interface Annotation {
  subtype: string;
  rect: number[];
  annotationFlags?: number;
  contentsObj?: { str?: string };
  fieldType?: string;
  fieldValue?: unknown;
  alternativeText?: string;
  password?: boolean;
  checkBox?: boolean;
  radioButton?: boolean;
  exportValue?: string;
  buttonValue?: string;
  options?: { exportValue: string | null; displayValue: string | null }[];
}

/** Hidden, or not shown on a screen. */
const unseen = 2 | 32;
const usualSize = 10;
const checked = '[x]';
const unchecked = '[ ]';
/** More per page are not a form, and each is compared with every piece of the page. */
const maxPerPage = 2_000;

export function readFilledIn(annotations: readonly Annotation[], bottomOfPage: number): FilledIn[] {
  return annotations.slice(0, maxPerPage).flatMap((annotation) => {
    const { rect, annotationFlags = 0, alternativeText = '' } = annotation;
    const text = (annotationFlags & unseen) === 0 ? valueOf(annotation).replaceAll(/\s+/g, ' ').trim() : '';
    if (text === '') return [];
    const [left = 0, bottom = 0, right = 0, top = 0] = rect;
    const box = [left, bottom - bottomOfPage, right, top - bottomOfPage] as const;
    return [{ text, label: alternativeText.trim(), box }];
  });
}

function valueOf(annotation: Annotation): string {
  const { subtype, fieldType, fieldValue, password, options = [] } = annotation;
  if (subtype === 'FreeText') return annotation.contentsObj?.str ?? '';
  if (subtype !== 'Widget' || password) return '';
  if (annotation.checkBox || annotation.radioButton) {
    const own = annotation.checkBox ? annotation.exportValue : annotation.buttonValue;
    return own !== undefined && fieldValue === own ? checked : unchecked;
  }
  if (fieldType !== 'Tx' && fieldType !== 'Ch') return '';
  const values = (Array.isArray(fieldValue) ? fieldValue : [fieldValue]).filter(
    (value) => typeof value === 'string',
  );
  const shown = new Map(options.map(({ exportValue, displayValue }) => [exportValue, displayValue]));
  return values.map((value) => shown.get(value) ?? value).join(', ');
}

/** Adds what was filled in where a person reads it: after the text to its left, before that to its right, or below that above it. */
export function placeFilledIn(
  pieces: readonly PlacedText[],
  filledIn: readonly FilledIn[],
): readonly PlacedText[] {
  if (filledIn.length === 0) return pieces;
  const written = pieces.filter(({ text }) => text.trim() !== '');
  const bodySize = mostCommon(written.map(({ size, text }) => [round(size), text.length])) || usualSize;
  const before = new Map<PlacedText, PlacedText[]>();
  const after = new Map<PlacedText, PlacedText[]>();
  const atEnd: PlacedText[] = [];
  for (const { box, text, label } of filledIn.toSorted(byPosition)) {
    const [left, bottom, right, top] = box;
    const width = Math.max(1, right - left);
    const placed = {
      text,
      x: left,
      y: top - bodySize,
      width,
      size: bodySize,
      endsLine: true,
      isFilledIn: true,
    };
    const beside = findBeside(
      box,
      written.filter(({ y }) => y > bottom - bodySize / 2 && y < top),
      isBox(text),
    );
    if (beside) {
      const { y, size, mark } = beside.piece;
      const piece = { ...placed, text: ` ${text} `, y, size, mark, endsLine: false };
      add(beside.isToLeft ? after : before, beside.piece, piece);
      continue;
    }
    const isAbove = ({ x, y, width: length }: PlacedText) =>
      y >= top && y < top + 2 * bodySize && x < right && x + length > left;
    const above = best(written.filter(isAbove), ({ y }) => -y);
    if (above) add(after, above, { ...placed, mark: above.mark });
    else atEnd.push(label === '' ? placed : { ...placed, text: `${label}: ${text}` });
  }
  const all = pieces.flatMap((piece) => [
    ...(before.get(piece) ?? []),
    ...withAdded(piece, after.get(piece)),
  ]);
  return [...all, ...atEnd];
}

function isBox(text: string): boolean {
  return text === checked || text === unchecked;
}

/** The text that a value belongs to: that to its left, but of boxes to tick the nearest one. */
function findBeside(
  [left, , right]: FilledIn['box'],
  onRow: readonly PlacedText[],
  isNearest: boolean,
): { piece: PlacedText; isToLeft: boolean } | undefined {
  const isLeft = ({ x }: PlacedText) => x < left + 1;
  const toLeft = best(onRow.filter(isLeft), ({ x }) => x);
  const toRight = best(
    onRow.filter((piece) => !isLeft(piece)),
    ({ x }) => -x,
  );
  const isRightNearer = toLeft && toRight && isNearest && toRight.x - right < left - toLeft.x - toLeft.width;
  const piece = isRightNearer ? toRight : (toLeft ?? toRight);
  return piece && { piece, isToLeft: piece === toLeft };
}

function byPosition({ box: a }: FilledIn, { box: b }: FilledIn): number {
  return b[3] - a[3] || a[0] - b[0];
}

function add(to: Map<PlacedText, PlacedText[]>, piece: PlacedText, added: PlacedText): void {
  const known = to.get(piece);
  if (known) known.push(added);
  else to.set(piece, [added]);
}

/** The end of a line moves behind what is added to it. */
function withAdded(piece: PlacedText, added: PlacedText[] | undefined): PlacedText[] {
  const last = added?.at(-1);
  if (!added || !last) return [piece];
  const endsLine = piece.endsLine || last.endsLine;
  return [{ ...piece, endsLine: false }, ...added.slice(0, -1), { ...last, endsLine }];
}

/** The piece for which the number is largest. */
function best(pieces: readonly PlacedText[], of: (piece: PlacedText) => number): PlacedText | undefined {
  return pieces.reduce<PlacedText | undefined>(
    (found, piece) => (!found || of(piece) > of(found) ? piece : found),
    undefined,
  );
}
