import type { ApplyPatch } from '@svc/contract/machine-protocol';
import { applyPatch, parsePatch, type StructuredPatch } from 'diff';
import { quote, Refusal } from '../../confine/refusal.ts';
import type { Draft, DraftFile } from './draft.ts';
import { requireWritable } from './draft-write.ts';

type FilePatch = Partial<StructuredPatch> & Pick<StructuredPatch, 'hunks'>;

export function draftPatch(draft: Draft, { patch }: ApplyPatch): void {
  const sections = parse(patch).filter(hasContent);
  if (sections.length === 0)
    throw new Refusal(
      'The patch has no changes. It must be a unified diff with lines such as --- a/file, +++ b/file and @@.',
    );
  for (const section of sections) draftSection(draft, section);
}

function parse(patch: string): FilePatch[] {
  if (/^GIT binary patch$/m.test(patch)) throw new Refusal('Binary patches cannot be applied.');
  try {
    return parsePatch(patch);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refusal(`The patch cannot be read: ${reason}. Nothing was changed.`);
  }
}

function hasContent(section: FilePatch): boolean {
  if (section.isBinary) throw new Refusal('Binary files cannot be patched.');
  const { isRename, isCopy, isCreate, isDelete, newMode } = section;
  return section.hunks.length > 0 || Boolean(isRename || isCopy || isCreate || isDelete || newMode);
}

function draftSection(draft: Draft, section: FilePatch): void {
  const { from, to } = namesIn(section);
  const target = draft.open(to ?? from ?? '');
  if (from === undefined) create(target, section);
  else if (to === undefined) remove(target, section);
  else if (from === to) modify(target, section);
  else move(draft.open(from), target, section);
  if (target.text !== null) requireWritable(target.text);
  const mode = section.newMode;
  if (mode !== undefined && to !== undefined) target.executable = /[1357]/.test(mode.slice(-3));
}

function create(target: DraftFile, section: FilePatch): void {
  if (target.text !== null)
    throw new Refusal(`The patch creates ${quote(target.shown)}, which already exists. Nothing was changed.`);
  target.text = applyHunks('', section, target.shown);
}

function remove(target: DraftFile, section: FilePatch): void {
  const rest = applyHunks(existingText(target), section, target.shown);
  if (rest !== '')
    throw new Refusal(
      `The patch deletes ${quote(target.shown)}, but does not remove all of its lines. Nothing was changed.`,
    );
  target.text = null;
}

function modify(target: DraftFile, section: FilePatch): void {
  target.text = applyHunks(existingText(target), section, target.shown);
}

function move(source: DraftFile, target: DraftFile, section: FilePatch): void {
  if (target.text !== null)
    throw new Refusal(
      `The patch renames a file to ${quote(target.shown)}, which already exists. Nothing was changed.`,
    );
  target.text = applyHunks(existingText(source), section, source.shown);
  if (section.isCopy) return;
  target.renamedFrom = source;
  source.text = null;
}

function existingText(file: DraftFile): string {
  if (file.text === null)
    throw new Refusal(`The patch changes ${quote(file.shown)}, which does not exist. Nothing was changed.`);
  return file.text;
}

/** Undefined stands for /dev/null. */
function namesIn({ oldFileName, newFileName, isCreate, isDelete }: FilePatch): {
  from: string | undefined;
  to: string | undefined;
} {
  if (!oldFileName || !newFileName)
    throw new Refusal('A part of the patch does not name its file with the lines --- and +++.');
  const from = isCreate || oldFileName === '/dev/null' ? undefined : oldFileName;
  const to = isDelete || newFileName === '/dev/null' ? undefined : newFileName;
  const hasPrefixes = (from ?? 'a/').startsWith('a/') && (to ?? 'b/').startsWith('b/');
  return hasPrefixes ? { from: from?.slice(2), to: to?.slice(2) } : { from, to };
}

/** Lines may have moved, but every line of a hunk must match. */
export function applyHunks(text: string, { hunks }: Pick<StructuredPatch, 'hunks'>, shown: string): string {
  const applied = tryHunks(text, hunks);
  if (applied !== false) return applied;
  const failing = firstFailing(text, hunks);
  const { oldStart, oldLines, newStart, newLines } = hunks[failing] ?? {};
  throw new Refusal(
    `Hunk ${failing + 1} of ${hunks.length} (@@ -${oldStart},${oldLines} +${newStart},${newLines} @@) does not match ${quote(shown)}. Read the file again and copy its lines exactly. Nothing was changed.`,
  );
}

function tryHunks(text: string, hunks: StructuredPatch['hunks']): string | false {
  const patch = { oldFileName: '', newFileName: '', oldHeader: undefined, newHeader: undefined, hunks };
  return applyPatch(text, patch, { fuzzFactor: 0 });
}

/** The library does not tell which hunk failed. If some first hunks can be applied, all shorter beginnings can. */
function firstFailing(text: string, hunks: StructuredPatch['hunks']): number {
  let applies = 0;
  let fails = hunks.length;
  while (fails - applies > 1) {
    const middle = (applies + fails) >> 1;
    if (tryHunks(text, hunks.slice(0, middle)) === false) fails = middle;
    else applies = middle;
  }
  return fails - 1;
}
