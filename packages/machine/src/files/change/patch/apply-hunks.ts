import { applyPatch } from 'diff';
import { quote, Refusal } from '../../../confine/refusal.ts';
import { describeMismatch, type QuotedFile, quoteLine } from './mismatch.ts';
import type { Hunk } from './patch-section.ts';

/** Lines may have moved, but every line of a hunk must match, except for spaces at its end. */
export function applyHunks(text: string, hunks: readonly Hunk[], file: QuotedFile): string {
  for (const [index, hunk] of hunks.entries())
    if (!hunk.lines.some((line) => /^[+-]/.test(line)))
      throw new Refusal(
        `${nameOf(hunk, index, hunks.length)} changes nothing: it has no lines with + or -. Nothing was changed.`,
      );
  if (!hunks.some(({ isUnnumbered }) => isUnnumbered)) {
    const names = { oldFileName: '', newFileName: '', oldHeader: undefined, newHeader: undefined };
    const applied = applyPatch(text, { ...names, hunks: [...hunks] }, { fuzzFactor: 0 });
    if (applied !== false) return applied;
  }
  return applyLoosely(text, hunks, file);
}

/** Finds each hunk after the one before it, and keeps the lines of the file where only spaces at their end differ. */
function applyLoosely(text: string, hunks: readonly Hunk[], file: QuotedFile): string {
  const isTerminated = text === '' || text.endsWith('\n');
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const result: string[] = [];
  let cursor = 0;
  let endsWithNewline = isTerminated;
  for (const [index, hunk] of hunks.entries()) {
    const name = nameOf(hunk, index, hunks.length);
    const start = findHunk(lines, hunk, cursor, { ...file, name });
    result.push(...lines.slice(cursor, start));
    cursor = start;
    const ending = lines[start]?.endsWith('\r') || lines[start - 1]?.endsWith('\r') ? '\r' : '';
    for (const line of hunk.lines) {
      if (line.startsWith('+')) result.push(line.slice(1).replace(/\r$/, '') + ending);
      else if (line.startsWith(' ')) result.push(lines[cursor++] ?? '');
      else if (line.startsWith('-')) cursor += 1;
    }
    if (cursor === lines.length) endsWithNewline = newlineAfter(hunk, isTerminated);
  }
  result.push(...lines.slice(cursor));
  return result.join('\n') + (endsWithNewline && result.length > 0 ? '\n' : '');
}

/** Whether the file ends with a newline after its last hunk. */
function newlineAfter({ lines }: Hunk, isTerminated: boolean): boolean {
  const marks = lines.flatMap((line, index) => (line.startsWith('\\') ? [lines[index - 1]?.[0]] : []));
  if (marks.length === 0) return isTerminated;
  return marks.every((sign) => sign === '-');
}

function nameOf({ isUnnumbered, ...hunk }: Hunk, index: number, count: number): string {
  const { oldStart, oldLines, newStart, newLines } = hunk;
  const header = isUnnumbered ? '' : ` (@@ -${oldStart},${oldLines} +${newStart},${newLines} @@)`;
  return `Hunk ${index + 1} of ${count}${header}`;
}

function findHunk(
  lines: readonly string[],
  hunk: Hunk,
  cursor: number,
  place: QuotedFile & { name: string },
): number {
  const wanted = hunk.lines.filter((line) => /^[ -]/.test(line)).map((line) => line.slice(1));
  const from = afterAnchors(lines, hunk, cursor, place);
  if (wanted.length === 0) return placeOfInsertion(lines, hunk, from);
  const found = findAll(lines, wanted, from);
  if (!hunk.isUnnumbered) {
    const [nearest] = found.toSorted(
      (one, other) => Math.abs(one - hunk.oldStart + 1) - Math.abs(other - hunk.oldStart + 1),
    );
    if (nearest !== undefined) return nearest;
  }
  const atEnd = found.find((start) => start + wanted.length === lines.length);
  if (hunk.isAtEnd && atEnd !== undefined) return atEnd;
  const [only] = found;
  if (only === undefined)
    throw new Refusal(
      `${place.name} does not match ${quote(place.shown)}. ${describeMismatch(lines, wanted, place, hunk.isUnnumbered ? from : hunk.oldStart - 1)} Read the file again and copy its lines exactly. Nothing was changed.`,
    );
  // After a line that was named, the first place is the one that is meant.
  if (found.length > 1 && !hunk.anchors?.length)
    throw new Refusal(
      `${place.name} matches ${quote(place.shown)} in ${found.length} places (lines ${found
        .slice(0, 10)
        .map((start) => start + 1)
        .join(
          ', ',
        )}${found.length > 10 ? ', …' : ''}). Add lines before or after it, or line numbers: @@ -start,count +start,count @@. Nothing was changed.`,
    );
  return only;
}

/** The line after the anchors; each is looked for after the one before it. */
function afterAnchors(
  lines: readonly string[],
  { anchors = [] }: Hunk,
  cursor: number,
  { name, shown }: QuotedFile & { name: string },
): number {
  return anchors.reduce((from, anchor) => {
    const isSame = (line: string) => line.trimEnd() === anchor.trimEnd();
    const exact = lines.findIndex((line, index) => index >= from && isSame(line));
    const loose = () => lines.findIndex((line, index) => index >= from && line.trim() === anchor.trim());
    const part = () => lines.findIndex((line, index) => index >= from && line.includes(anchor.trim()));
    const found = [() => exact, loose, part].map((find) => find()).find((index) => index !== -1);
    if (found !== undefined) return found + 1;
    throw new Refusal(
      `${name} does not match ${quote(shown)}: the line after @@, ${quoteLine(anchor)}, is not in the file${from > 0 ? ' after the hunk before it' : ''}. Nothing was changed.`,
    );
  }, cursor);
}

/** After the anchor, at the stated line, or at the end of the file. */
function placeOfInsertion(lines: readonly string[], hunk: Hunk, from: number): number {
  if (hunk.anchors?.length && !hunk.isAtEnd) return from;
  return hunk.isUnnumbered ? lines.length : Math.min(Math.max(hunk.oldStart, from), lines.length);
}

/** Where lines occur, exactly or else but for spaces at their end. */
function findAll(lines: readonly string[], wanted: readonly string[], from: number): number[] {
  const exact = occurrences(lines, wanted, from, (line) => line.replace(/\r$/, ''));
  return exact.length > 0 ? exact : occurrences(lines, wanted, from, (line) => line.trimEnd());
}

function occurrences(
  lines: readonly string[],
  wanted: readonly string[],
  from: number,
  fold: (line: string) => string,
): number[] {
  const folded = lines.map(fold);
  const searched = wanted.map(fold);
  const found: number[] = [];
  for (let start = from; start + searched.length <= folded.length; start += 1)
    if (searched.every((line, index) => folded[start + index] === line)) found.push(start);
  return found;
}
