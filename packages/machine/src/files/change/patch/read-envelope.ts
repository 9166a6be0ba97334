import { Refusal } from '../../../confine/refusal.ts';
import { quoteLine } from './mismatch.ts';
import { type Hunk, hunkOf, type PatchSection } from './patch-section.ts';

const fileLine = /^\*\*\* (Add|Update|Delete) File: (.+)$/;

/** Whether a patch has the form with `*** Begin Patch`, in which hunks have no numbers. */
export function isEnvelope(text: string): boolean {
  return text.split('\n').some((line) => fileLine.test(line.trimEnd()));
}

/** Reads `*** Add File`, `*** Update File` with an optional `*** Move to`, and `*** Delete File`. */
export function readEnvelope(text: string): PatchSection[] {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  const starts = lines.flatMap((line, index) => (fileLine.test(line.trimEnd()) ? [index] : []));
  return starts.map((start, index) => {
    const [, action = '', name = ''] = fileLine.exec(lines[start]?.trimEnd() ?? '') ?? [];
    const body = lines.slice(start + 1, starts[index + 1] ?? endOf(lines, start));
    return sectionOf(action, name.trim(), body, start + 2);
  });
}

function endOf(lines: readonly string[], start: number): number {
  const end = lines.findIndex((line, index) => index > start && line.trimEnd() === '*** End Patch');
  return end === -1 ? lines.length : end;
}

function sectionOf(action: string, name: string, body: string[], firstLine: number): PatchSection {
  if (action === 'Delete')
    return { oldFileName: name, newFileName: '/dev/null', isDelete: true, hunks: [], isOfEnvelope: true };
  if (action === 'Add') {
    const content = withoutEmptyEnd(body);
    // Some leave the plus signs out.
    const lines = content.some((line) => line.startsWith('+'))
      ? signedLines(content, firstLine, /^\+/)
      : content.map((line) => `+${line}`);
    const hunks = lines.length > 0 ? [hunkOf(lines, { isUnnumbered: true })] : [];
    return { oldFileName: '/dev/null', newFileName: name, isCreate: true, hunks, isOfEnvelope: true };
  }
  const moved = /^\*\*\* Move to: (.+)$/.exec(body[0]?.trimEnd() ?? '')?.[1]?.trim();
  const changes = moved === undefined ? body : body.slice(1);
  const hunks = hunksOf(changes, firstLine + (body.length - changes.length));
  const names = { oldFileName: name, newFileName: moved ?? name, isOfEnvelope: true as const };
  return { ...names, hunks, ...(moved && { isRename: true }) };
}

function hunksOf(body: readonly string[], firstLine: number): Hunk[] {
  const hunks: Hunk[] = [];
  let anchors: string[] = [];
  let lines: string[] = [];
  let isAtEnd = false;
  let began = firstLine;
  function finish(): void {
    const content = signedLines(withoutEmptyEnd(lines), began, /^[ +-]/);
    if (content.length > 0)
      hunks.push(
        hunkOf(content, { isUnnumbered: true, anchors, ...(isAtEnd && { isAtEnd: true as const }) }),
      );
    else if (anchors.length > 0) return;
    anchors = [];
  }
  for (const [index, line] of body.entries()) {
    if (line.trimEnd() === '*** End of File') isAtEnd = true;
    else if (line.startsWith('@@')) {
      finish();
      lines = [];
      isAtEnd = false;
      began = firstLine + index + 1;
      const anchor = line.replace(/^@@ ?/, '').replace(/ @@$/, '');
      if (anchor.trim() !== '') anchors.push(anchor);
    } else lines.push(line);
  }
  finish();
  return hunks;
}

function withoutEmptyEnd(lines: readonly string[]): string[] {
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== '') + 1);
}

/** An empty line stands for an empty line of the file. */
function signedLines(lines: readonly string[], firstLine: number, signs: RegExp): string[] {
  return lines.map((line, index) => {
    if (line === '') return signs.test(' ') ? ' ' : '+';
    if (signs.test(line)) return line;
    throw new Refusal(
      `The patch cannot be read: its line ${firstLine + index} begins with neither a space, + nor -: ${quoteLine(line)}. Nothing was changed.`,
    );
  });
}
