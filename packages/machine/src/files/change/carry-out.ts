import { lstatSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Outcome } from '@svc/contract/machine-protocol';
import { enterExactly } from '../../confine/enter.ts';
import { explaining, quote, Refusal } from '../../confine/refusal.ts';
import { ParentGone } from '../process/parent.ts';
import { type DraftFile, hashOf } from './draft.ts';
import { syncFolder } from './durable.ts';
import { createFolder, missingFolders } from './folders.ts';
import type { ChangedFile, FileVersion, Manifest } from './manifest.ts';
import { placeNewFile, replaceFile, writeTemporary } from './place-file.ts';
import { type PreparedChange, resultOf } from './prepare.ts';
import { type ChangeContext, temporaryName } from './put-back.ts';
import { takeBack } from './recover.ts';

/** Carries out a change as a whole: after a failure at any step, recovering finds every file old or every file new. */
export function carryOut(context: ChangeContext, id: string, change: PreparedChange): Outcome {
  const { roots, store, beforeEffect } = context;
  const { files } = change;
  const result = resultOf(change);
  if (files.length === 0) return { status: 'ok', value: result };
  const createdFolders = missingFolders(files);
  const manifest: Manifest = {
    version: 1,
    id,
    files: files.map(describeFile),
    createdFolders,
    result,
  };
  const oldContents = files.map(({ current }) => current?.bytes ?? null);
  store.begin(manifest, oldContents, beforeEffect);
  try {
    for (const folder of createdFolders) {
      beforeEffect();
      explaining(folder, () => createFolder(roots, folder));
    }
    eachFile(manifest, files, (file, changed) => stage(file, changed, beforeEffect));
    eachFile(manifest, files, (file, changed) => place(file, changed, beforeEffect));
    eachFile(manifest, files, () => syncFolder('.'));
  } catch (error) {
    if (error instanceof ParentGone) throw error;
    return takeBack(context, manifest, error instanceof Error ? error.message : String(error));
  }
  beforeEffect();
  store.end(id, { isDone: true, reason: '' });
  return { status: 'ok', value: result };
}

/** The folder of each file is the current directory while `action` runs. */
function eachFile(
  manifest: Manifest,
  files: readonly DraftFile[],
  action: (file: DraftFile, changed: ChangedFile) => void,
): void {
  files.forEach((file, index) => {
    const changed = manifest.files[index];
    if (!changed) return;
    explaining(file.shown, () => {
      enterExactly(file.location.root, dirname(changed.path));
      action(file, changed);
    });
  });
}

function stage({ text }: DraftFile, { temporary, after }: ChangedFile, beforeEffect: () => void): void {
  if (text === null || !after) return;
  beforeEffect();
  writeTemporary(temporary, Buffer.from(text), after);
}

function place(file: DraftFile, { temporary, after }: ChangedFile, beforeEffect: () => void): void {
  const { name } = file.location;
  beforeEffect();
  requireUntouched(file);
  if (!after) unlinkSync(name);
  else if (file.current) replaceFile(temporary, name);
  else placeNewFile(temporary, name);
}

/** Somebody may have saved the file since its content was compared. */
function requireUntouched({ location, shown, current }: DraftFile): void {
  const stat = lstatSync(location.name, { bigint: true, throwIfNoEntry: false });
  const known = current?.stat;
  const isSame = stat?.ino === known?.ino && stat?.size === known?.size && stat?.mtimeNs === known?.mtimeNs;
  if (!isSame) throw new Refusal(`${quote(shown)} was changed by another program at the same time.`);
}

function describeFile(file: DraftFile): ChangedFile {
  const { location, shown, current, text } = file;
  return {
    path: location.path,
    shown,
    temporary: temporaryName(),
    before: current && { hash: current.hash, ...permissionsOf(current.stat) },
    after: text === null ? null : { hash: hashOf(Buffer.from(text)), ...newPermissions(file) },
  };
}

function newPermissions({ current, executable, renamedFrom }: DraftFile): Omit<FileVersion, 'hash'> {
  const source = current ?? renamedFrom?.current;
  if (!source) return { mode: executable ? 0o755 : null };
  const { mode: sourceMode, owner } = permissionsOf(source.stat);
  // As when a file is overwritten: new content does not run with the rights of its owner.
  const mode = sourceMode & 0o1777;
  if (executable === undefined) return { mode, owner };
  return { mode: executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111, owner };
}

function permissionsOf({ mode, uid, gid }: { mode: bigint; uid: bigint; gid: bigint }) {
  return { mode: Number(mode & 0o7777n), owner: { user: Number(uid), group: Number(gid) } };
}
