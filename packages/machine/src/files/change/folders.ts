import { mkdirSync, rmdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { enterExactly } from '../../confine/enter.ts';
import { rootOf } from '../../confine/paths.ts';
import { codeOf, quote, Refusal } from '../../confine/refusal.ts';
import type { DraftFile } from './draft.ts';
import { syncFolder } from './durable.ts';
import { enterFolderOf } from './file-versions.ts';

/** The folders that files need and that do not exist, the outer ones first. */
export function missingFolders(files: readonly DraftFile[]): string[] {
  const wanted = files.flatMap(({ location: { directory, missing }, text }) =>
    text === null ? [] : missing.map((_, index) => join(directory, ...missing.slice(0, index + 1))),
  );
  return [...new Set(wanted)].toSorted((one, other) => one.length - other.length);
}

/** Each folder is created from inside of its parent. */
export function createFolder(roots: readonly string[], path: string): void {
  const root = rootOf(roots, path);
  if (root === undefined || !enterFolderOf(roots, path))
    throw new Refusal(`The folder ${quote(dirname(path))} was removed.`);
  try {
    mkdirSync(basename(path));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  syncFolder('.');
  enterExactly(root, path);
}

/** Removes folders that a change created, if nothing else is in them by now. */
export function removeCreatedFolders(roots: readonly string[], folders: readonly string[]): void {
  for (const path of folders.toReversed()) {
    try {
      if (enterFolderOf(roots, path)) rmdirSync(basename(path));
    } catch (error) {
      // It is in use by now, or gone: either is fine.
      if (!(error instanceof Refusal) && !codeOf(error)?.startsWith('E')) throw error;
    }
  }
}
