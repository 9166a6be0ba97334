import type { ApplyPatch } from '@svc/contract/machine-protocol';
import { quote, Refusal } from '../../confine/refusal.ts';
import type { Draft, DraftFile } from './draft.ts';
import { requireWritable } from './draft-write.ts';
import { applyHunks } from './patch/apply-hunks.ts';
import type { PatchSection } from './patch/patch-section.ts';
import { readPatch } from './patch/read-patch.ts';

export function draftPatch(draft: Draft, { patch }: ApplyPatch): void {
  const sections = readPatch(patch).filter(hasContent);
  if (sections.length === 0)
    throw new Refusal(
      'The patch has no changes. It must be a unified diff with lines such as --- a/file, +++ b/file and @@, or begin with *** Begin Patch and name files with *** Update File: file.',
    );
  for (const section of sections) draftSection(draft, section);
}

function hasContent(section: PatchSection): boolean {
  if (section.isBinary) throw new Refusal('Binary files cannot be patched.');
  const { isRename, isCopy, isCreate, isDelete, newMode } = section;
  return section.hunks.length > 0 || Boolean(isRename || isCopy || isCreate || isDelete || newMode);
}

function draftSection(draft: Draft, section: PatchSection): void {
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

function create(target: DraftFile, section: PatchSection): void {
  if (target.text !== null)
    throw new Refusal(`The patch creates ${quote(target.shown)}, which already exists. Nothing was changed.`);
  target.text = applyHunks('', section.hunks, target);
}

function remove(target: DraftFile, section: PatchSection): void {
  const rest = applyHunks(existingText(target), section.hunks, target);
  if (rest !== '' && !section.isOfEnvelope)
    throw new Refusal(
      `The patch deletes ${quote(target.shown)}, but does not remove all of its lines. Nothing was changed.`,
    );
  target.text = null;
}

function modify(target: DraftFile, section: PatchSection): void {
  target.text = applyHunks(existingText(target), section.hunks, target);
}

function move(source: DraftFile, target: DraftFile, section: PatchSection): void {
  if (target.text !== null)
    throw new Refusal(
      `The patch renames a file to ${quote(target.shown)}, which already exists. Nothing was changed.`,
    );
  target.text = applyHunks(existingText(source), section.hunks, source);
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
function namesIn({ oldFileName, newFileName, isCreate, isDelete, isOfEnvelope }: PatchSection): {
  from: string | undefined;
  to: string | undefined;
} {
  if (!oldFileName || !newFileName)
    throw new Refusal('A part of the patch does not name its file with the lines --- and +++.');
  const from = isCreate || oldFileName === '/dev/null' ? undefined : oldFileName;
  const to = isDelete || newFileName === '/dev/null' ? undefined : newFileName;
  const hasPrefixes = !isOfEnvelope && (from ?? 'a/').startsWith('a/') && (to ?? 'b/').startsWith('b/');
  return hasPrefixes ? { from: from?.slice(2), to: to?.slice(2) } : { from, to };
}
