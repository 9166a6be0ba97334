import { closeSync, lstatSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { enterExactly } from '../../confine/enter.ts';
import { openRegular } from '../../confine/open-regular.ts';
import { rootOf } from '../../confine/paths.ts';
import { codeOf, quote, Refusal } from '../../confine/refusal.ts';
import { hashOf, maxEditedBytes } from './draft.ts';
import type { ChangedFile, FileVersion } from './manifest.ts';

/** Where a file stands compared with a change: `other` if somebody else has changed it. */
export type Standing = 'before' | 'after' | 'other';

export function standingOf(roots: readonly string[], file: ChangedFile): Standing {
  const found = currentVersion(roots, file.path);
  if (found === 'other') return 'other';
  // Only if the content is the same on both sides, the mode decides.
  if (isSame(found, file.after, file.before)) return 'after';
  return isSame(found, file.before, file.after) ? 'before' : 'other';
}

function isSame(
  found: FileVersion | null,
  wanted: FileVersion | null,
  opposite: FileVersion | null,
): boolean {
  if (!found || !wanted) return found === wanted;
  if (found.hash !== wanted.hash) return false;
  return opposite?.hash !== wanted.hash || found.mode === wanted.mode;
}

function currentVersion(roots: readonly string[], path: string): FileVersion | null | 'other' {
  if (!enterFolderOf(roots, path)) return null;
  const name = basename(path);
  const stat = lstatSync(name, { bigint: true, throwIfNoEntry: false });
  if (!stat) return null;
  if (!stat.isFile() || stat.size > maxEditedBytes) return 'other';
  const file = openRegular(name, path);
  try {
    return { hash: hashOf(readFileSync(file.descriptor)), mode: Number(file.stat.mode & 0o7777n) };
  } finally {
    closeSync(file.descriptor);
  }
}

/** False if the folder does not exist. */
export function enterFolderOf(roots: readonly string[], path: string): boolean {
  const root = rootOf(roots, dirname(path));
  if (root === undefined)
    throw new Refusal(`${quote(path)} is in a folder that this machine no longer shares.`);
  try {
    enterExactly(root, dirname(path));
    return true;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return false;
    throw error;
  }
}
