import type { Revert, RevertedFiles } from '@svc/contract/machine-protocol';
import { explaining } from '../../confine/refusal.ts';
import { ParentGone } from '../process/parent.ts';
import { standingOf } from './file-versions.ts';
import { removeCreatedFolders } from './folders.ts';
import type { Manifest } from './manifest.ts';
import { type ChangeContext, putBack } from './put-back.ts';

type RevertedFile = RevertedFiles['files'][number];

/**
 * Takes changes back, in the given order, where nobody has changed the files since. Operations without a change on this
 * machine have nothing to report. Repeating it reports the same, and tries again what failed.
 */
export function revertChanges(context: ChangeContext, { operation_ids }: Revert): RevertedFiles {
  const manifests = [...new Set(operation_ids)]
    .flatMap((id) => context.store.find(id) ?? [])
    .filter(({ id }) => context.store.endOf(id)?.isDone !== false);
  return { files: manifests.flatMap((manifest) => revertChange(context, manifest)) };
}

function revertChange(context: ChangeContext, manifest: Manifest): RevertedFile[] {
  const earlier = context.store.revertOf(manifest.id) ?? [];
  const files = manifest.files.map((file, index) => {
    const known = earlier.find(({ path }) => path === file.path);
    return known && isReverted(known) ? known : revertFile(context, manifest, index);
  });
  removeCreatedFolders(context.roots, manifest.createdFolders);
  context.beforeEffect();
  context.store.endRevert(manifest.id, files);
  return files;
}

function isReverted({ outcome }: RevertedFile): boolean {
  return outcome === 'restored' || outcome === 'deleted';
}

function revertFile(context: ChangeContext, manifest: Manifest, index: number): RevertedFile {
  const file = manifest.files[index];
  const reverted = { operation_id: manifest.id, path: file?.path ?? '' };
  try {
    const standing = file ? standingOf(context.roots, file) : 'other';
    if (standing === 'other') return { ...reverted, outcome: 'changed_since' };
    // Standing as before: an earlier revert was interrupted after this file.
    if (standing === 'after') explaining(reverted.path, () => putBack(context, manifest, index));
    return { ...reverted, outcome: file?.before ? 'restored' : 'deleted' };
  } catch (error) {
    if (error instanceof ParentGone) throw error;
    return { ...reverted, outcome: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}
