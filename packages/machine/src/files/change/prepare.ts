import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  ApplyPatch,
  Basis,
  ChangedFiles,
  ChangeName,
  EditFile,
  PreviewedChange,
  WriteFile,
} from '@svc/contract/machine-protocol';
import { quote, Refusal } from '../../confine/refusal.ts';
import type { Workdir } from '../../confine/workdir.ts';
import { hashKeyFile } from '../../state/state-folder.ts';
import { createDraft, type Draft, type DraftFile, maxEditedBytes } from './draft.ts';
import { draftEdit } from './draft-edit.ts';
import { draftPatch } from './draft-patch.ts';
import { draftWrite } from './draft-write.ts';
import { changesMode, diffOf, type FileDiff, renameSource } from './unified-diff.ts';

export interface PreparedChange {
  /** Files that will be different. */
  files: readonly DraftFile[];
  /** Of every file that the change is about. */
  diffs: readonly { file: DraftFile; diff: FileDiff }[];
}

/** Works out what a change will do. Previews and changes both use it, so that a preview shows what will happen. */
export function prepareChange(
  workdir: Workdir,
  name: ChangeName,
  given: Record<string, unknown>,
): PreparedChange {
  const draft = createDraft(workdir);
  fillDraft(draft, name, given);
  const all = draft.files();
  for (const { text, shown } of all)
    if (text !== null && Buffer.byteLength(text) > maxEditedBytes)
      throw new Refusal(`${quote(shown)} would have more than ${maxEditedBytes} bytes.`);
  return {
    files: all.filter((file) => file.text !== (file.current?.text ?? null) || changesMode(file)),
    diffs: all.map((file) => {
      if (file.hasSecrets) return { file, diff: hiddenDiff };
      return { file, diff: isRenameSource(all, file) ? emptyDiff : diffOf(file) };
    }),
  };
}

function fillDraft(draft: Draft, name: ChangeName, given: Record<string, unknown>): void {
  switch (name) {
    case 'write_file':
      return draftWrite(draft, given as WriteFile);
    case 'edit_file':
      return draftEdit(draft, given as EditFile);
    case 'apply_patch':
      return draftPatch(draft, given as ApplyPatch);
  }
}

/** The diff of a renamed file is shown once, with its new name. */
function isRenameSource(all: readonly DraftFile[], file: DraftFile): boolean {
  return file.text === null && all.some((other) => renameSource(other) === file);
}

const emptyDiff: FileDiff = { diff: '', added: 0, removed: 0 };
/** A diff would show what is in the file to whoever asks for a preview. */
const hiddenDiff: FileDiff = {
  diff: 'This file may contain passwords or keys, so its content is not shown.\n',
  added: 0,
  removed: 0,
};

const maxPreviewBytes = 2 * 1024 * 1024;

export function previewOf(change: PreparedChange, stateFolder: string): PreviewedChange {
  const files = change.diffs.map(({ file, diff }) => ({ path: file.shown, diff: diff.diff }));
  const bytes = files.reduce((sum, { diff }) => sum + Buffer.byteLength(diff), 0);
  if (bytes > maxPreviewBytes)
    throw new Refusal(`The diff has ${bytes} bytes, too many to review. Split the change into smaller ones.`);
  return { files, basis: { files: basisOf(change, stateFolder) } };
}

/**
 * The hashes are keyed, and the path is part of them: a preview is computed before anybody is asked, and must help neither to check
 * guesses of what is in a file nor to compare it with a file whose content is known.
 */
function basisOf({ diffs }: PreparedChange, stateFolder: string): NonNullable<Basis['files']> {
  const key = readFileSync(join(stateFolder, hashKeyFile));
  return diffs.map(({ file: { location, current } }) => {
    const hash = createHmac('sha256', key).update(`${location.path}\0`);
    return { path: location.path, hash: current && hash.update(current.bytes).digest('hex') };
  });
}

/** A change that a person approved is carried out only for the files, and the content, that the person saw. */
export function requireBasis(change: PreparedChange, approved: Basis | undefined, stateFolder: string): void {
  if (!approved) return;
  for (const { path, hash } of basisOf(change, stateFolder)) {
    const known = approved.files?.find((file) => file.path === path);
    if (!known)
      throw new Refusal(`${quote(path)} is not among the files that were approved. Nothing was changed.`);
    if (known.hash !== hash)
      throw new Refusal(
        `${quote(path)} has changed since the approval was requested. Nothing was changed. Read the file and propose the change again.`,
      );
  }
}

const maxDiffCharacters = 64 * 1024;
const maxTotalCharacters = 512 * 1024;

export function resultOf({ diffs, files: changed }: PreparedChange): ChangedFiles {
  let left = maxTotalCharacters;
  const files = diffs.map(({ file, diff }) => {
    const shortened = shorten(diff.diff, Math.min(maxDiffCharacters, left));
    left -= shortened.length;
    const action = changed.includes(file) ? actionOf(file) : 'unchanged';
    const counts = { added_lines: diff.added, removed_lines: diff.removed };
    return { path: file.shown, action, ...counts, diff: shortened } as const;
  });
  return { files };
}

function actionOf({ current, text }: DraftFile): 'created' | 'modified' | 'deleted' {
  if (!current) return 'created';
  return text === null ? 'deleted' : 'modified';
}

function shorten(diff: string, maxCharacters: number): string {
  if (diff.length <= maxCharacters) return diff;
  const kept = diff.slice(0, diff.lastIndexOf('\n', Math.max(maxCharacters - 100, 0)) + 1);
  return `${kept}… ${diff.length - kept.length} more characters\n`;
}
