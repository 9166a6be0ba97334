import { randomBytes } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { rootOf } from '../../confine/paths.ts';
import { codeOf, quote, Refusal } from '../../confine/refusal.ts';
import type { ChangeStore } from './change-store.ts';
import { syncFolder } from './durable.ts';
import { enterFolderOf } from './file-versions.ts';
import { createFolder } from './folders.ts';
import type { Manifest } from './manifest.ts';
import { placeNewFile, removeIfThere, replaceFile, writeTemporary } from './place-file.ts';

export interface ChangeContext {
  roots: readonly string[];
  store: ChangeStore;
  /** Called before every step that writes. It throws to keep the step from happening. */
  beforeEffect(): void;
}

/** Gives one file of a change its old content, or removes it if there was none. */
export function putBack(
  { roots, store, beforeEffect }: ChangeContext,
  manifest: Manifest,
  index: number,
): void {
  const file = manifest.files[index];
  if (!file) return;
  if (file.before === null) {
    beforeEffect();
    if (enterFolderOf(roots, file.path)) removeIfThere(basename(file.path));
    return;
  }
  const content = store.oldContent(manifest.id, index);
  if (!content) throw new Refusal(`The old content of ${quote(file.shown)} is not stored any more.`);
  beforeEffect();
  restoreFolders(roots, dirname(file.path));
  if (!enterFolderOf(roots, file.path)) throw new Refusal(`The folder of ${quote(file.shown)} was removed.`);
  const temporary = temporaryName();
  try {
    writeTemporary(temporary, content, file.before);
    beforeEffect();
    if (lstatSync(basename(file.path), { throwIfNoEntry: false }))
      replaceFile(temporary, basename(file.path));
    else placeNewFile(temporary, basename(file.path));
  } finally {
    removeIfThere(temporary);
  }
  syncFolder('.');
}

/** The folders of a deleted file may be gone as well. */
function restoreFolders(roots: readonly string[], folder: string): void {
  const root = rootOf(roots, folder);
  if (root === undefined || folder === root || enterFolderOf(roots, join(folder, 'file'))) return;
  restoreFolders(roots, dirname(folder));
  createFolder(roots, folder);
}

export function removeTemporaries({ roots }: ChangeContext, manifest: Manifest): void {
  for (const { path, temporary } of manifest.files) {
    try {
      if (enterFolderOf(roots, path)) removeIfThere(temporary);
    } catch (error) {
      // A folder that cannot be entered any more keeps the file; it does no harm.
      if (!(error instanceof Refusal) && !codeOf(error)?.startsWith('E')) throw error;
    }
  }
}

export function temporaryName(): string {
  return `.svc-${randomBytes(8).toString('hex')}.tmp`;
}
