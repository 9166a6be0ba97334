import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatch, structuredPatch } from 'diff';
import type { DraftFile } from './draft.ts';

export interface FileDiff {
  diff: string;
  added: number;
  removed: number;
}

/** Comparing two files that have little in common takes time that grows with the square of their differences. */
const effort = { context: 3, timeout: 2000, maxEditLength: 20_000 };

/** What will happen to a file, as git shows it. Empty if nothing will. */
export function diffOf(file: DraftFile): FileDiff {
  const source = renameSource(file) ?? file;
  const before = source.current?.text ?? null;
  const oldName = before === null ? '/dev/null' : `a/${source.shown}`;
  const newName = file.text === null ? '/dev/null' : `b/${file.shown}`;
  const hunks = hunksOf(before ?? '', file.text ?? '');
  const patch: StructuredPatch = {
    oldFileName: oldName,
    newFileName: newName,
    oldHeader: undefined,
    newHeader: undefined,
    hunks,
    ...gitHeaders(file, before),
  };
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    diff: hunks.length > 0 || patch.isGit ? formatPatch(patch, FILE_HEADERS_ONLY) : '',
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
}

/** A rename is shown as such only to a name that was free: otherwise the diff shows the content that is lost there. */
export function renameSource({ current, text, renamedFrom }: DraftFile): DraftFile | undefined {
  return current || text === null || !renamedFrom?.current ? undefined : renamedFrom;
}

/** Plain diffs cannot show renames, modes and empty files. */
function gitHeaders(file: DraftFile, before: string | null): Partial<StructuredPatch> {
  const source = renameSource(file);
  if (source) return { isGit: true, isRename: true, ...modeHeaders({ ...file, current: source.current }) };
  if (before === null && file.text !== null && (file.text === '' || file.executable))
    return { isGit: true, isCreate: true, newMode: modeOf(file.executable ?? false) };
  if (before === '' && file.text === null) return { isGit: true, isDelete: true, oldMode: modeOf(false) };
  return modeHeaders(file);
}

function modeHeaders(file: DraftFile): Partial<StructuredPatch> {
  if (!changesMode(file)) return {};
  return { isGit: true, oldMode: modeOf(!file.executable), newMode: modeOf(file.executable ?? false) };
}

export function changesMode({ current, text, executable }: DraftFile): boolean {
  if (!current || text === null || executable === undefined) return false;
  return executable !== ((current.stat.mode & 0o100n) !== 0n);
}

function modeOf(executable: boolean): string {
  return executable ? '100755' : '100644';
}

function hunksOf(before: string, after: string): StructuredPatch['hunks'] {
  const patch = structuredPatch('', '', before, after, undefined, undefined, effort);
  return patch ? patch.hunks : [replaceAll(before, after)];
}

/** Shows every line as replaced: true, if not the shortest. */
function replaceAll(before: string, after: string): StructuredPatch['hunks'][number] {
  const removed = linesOf(before, '-');
  const added = linesOf(after, '+');
  return {
    oldStart: 1,
    oldLines: removed.count,
    newStart: 1,
    newLines: added.count,
    lines: [...removed.lines, ...added.lines],
  };
}

function linesOf(text: string, sign: string): { lines: string[]; count: number } {
  if (text === '') return { lines: [], count: 0 };
  const lines = text.split('\n').map((line) => sign + line);
  if (text.endsWith('\n')) {
    lines.pop();
    return { lines, count: lines.length };
  }
  return { lines: [...lines, '\\ No newline at end of file'], count: lines.length };
}
