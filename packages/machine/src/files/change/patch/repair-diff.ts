import { Refusal } from '../../../confine/refusal.ts';
import { quoteLine } from './mismatch.ts';
import { type Hunk, hunkOf } from './patch-section.ts';

const numbered = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Where a hunk is, if its header has no numbers. */
export type Place = Pick<Hunk, 'isUnnumbered' | 'anchors'>;

/**
 * A unified diff whose hunk headers have the right counts. Models count badly, or write `@@` alone or with the line that comes
 * before; the places of the hunks, in their order, say which.
 */
export function repairDiff(text: string): { diff: string; places: Place[] } {
  const lines = text.split('\n');
  const repaired: string[] = [];
  const places: Place[] = [];
  let index = 0;
  while (index < lines.length) {
    const header = lines[index] ?? '';
    index += 1;
    if (!header.startsWith('@@')) {
      repaired.push(header);
      continue;
    }
    const end = endOfHunk(lines, index);
    const counts = numbered.exec(header);
    const body = bodyOf(lines.slice(index, end), counts);
    requireSigns(body, index);
    const { oldLines, newLines } = hunkOf(body);
    const [, oldStart = '1', , newStart = '1'] = counts ?? [];
    const place = counts ? {} : placeOf(header);
    places.push(place);
    repaired.push(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...body);
    // What follows the hunk is empty lines, which would be part of it otherwise.
    index = end;
  }
  return { diff: `${repaired.join('\n')}\n`, places };
}

/** The next hunk, the next file, or the end. */
function endOfHunk(lines: readonly string[], start: number): number {
  const end = lines.findIndex((line, index) => {
    if (index < start) return false;
    if (/^(@@|diff --git |Index: |index [0-9a-f]+\.\.)/.test(line)) return true;
    return line.startsWith('--- ') && (lines[index + 1] ?? '').startsWith('+++ ');
  });
  return end === -1 ? lines.length : end;
}

/** Empty lines at the end separate it from what follows, unless its header counts them. */
function bodyOf(lines: readonly string[], header: RegExpExecArray | null): string[] {
  const body = lines.map((line) => (line === '' || line === '\r' ? ` ${line}` : line));
  const least = lines.findLastIndex((line) => line.trim() !== '') + 1;
  if (header) {
    const [, , oldLines = '1', , newLines = '1'] = header;
    for (let length = least; length <= body.length; length += 1) {
      const counted = hunkOf(body.slice(0, length));
      if (counted.oldLines === Number(oldLines) && counted.newLines === Number(newLines))
        return body.slice(0, length);
    }
  }
  return body.slice(0, least);
}

function requireSigns(body: readonly string[], start: number): void {
  const wrong = body.findIndex((line) => !/^[ +\-\\]/.test(line));
  if (wrong === -1) return;
  throw new Refusal(
    `The patch cannot be read: its line ${start + wrong + 1} begins with neither a space, + nor -: ${quoteLine(body[wrong] ?? '')}. Nothing was changed.`,
  );
}

/** `@@`, `@@ … @@` and `@@ class A:` name at most a line that comes before. */
function placeOf(header: string): Place {
  const anchor = header
    .replace(/^@@/, '')
    .replace(/@@\s*$/, '')
    .trim();
  const isAnchor = anchor !== '' && !/^(\.+|…|-.*\+.*)$/.test(anchor);
  return { isUnnumbered: true, ...(isAnchor && { anchors: [anchor] }) };
}
