import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createFlags } from '../../confine/platform.ts';
import { codeOf } from '../../confine/refusal.ts';
import type { FileVersion } from './manifest.ts';

/** All of these use bare names in the current directory, which was checked before. */

/** Writes a file's new content beside it, as a new file: another name of the old one (a hard link) keeps its content. */
export function writeTemporary(name: string, content: Uint8Array, version: FileVersion): void {
  const descriptor = openSync(name, createFlags, version.mode === null ? 0o666 : 0o600);
  try {
    writeFileSync(descriptor, content);
    if (version.mode !== null) takeOver(descriptor, version.mode, version.owner);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function takeOver(descriptor: number, mode: number, owner: FileVersion['owner']): void {
  if (process.platform === 'win32') return;
  fchmodSync(descriptor, owner && !changeOwner(descriptor, owner) ? mode & 0o777 : mode);
}

/** Only root may give a file to somebody else; others keep it as their own. */
function changeOwner(descriptor: number, { user, group }: NonNullable<FileVersion['owner']>): boolean {
  try {
    fchownSync(descriptor, user, group);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EPERM') return false;
    throw error;
  }
}

export function replaceFile(temporary: string, name: string): void {
  renameSync(temporary, name);
}

/** Unlike a rename, does not replace what somebody else has created meanwhile. */
export function placeNewFile(temporary: string, name: string): void {
  try {
    linkSync(temporary, name);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(codeOf(error) ?? '')) throw error;
    // A file system without hard links: the check just before has to be enough.
    if (lstatSync(name, { throwIfNoEntry: false })) throw Object.assign(new Error(), { code: 'EEXIST' });
    renameSync(temporary, name);
    return;
  }
  unlinkSync(temporary);
}

export function removeIfThere(name: string): void {
  try {
    unlinkSync(name);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}
