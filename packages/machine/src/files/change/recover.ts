import type { Outcome } from '@svc/contract/machine-protocol';
import { explaining, quote } from '../../confine/refusal.ts';
import { ParentGone } from '../process/parent.ts';
import { type Standing, standingOf } from './file-versions.ts';
import { removeCreatedFolders } from './folders.ts';
import type { Manifest } from './manifest.ts';
import { type ChangeContext, putBack, removeTemporaries } from './put-back.ts';

/** Finds out what became of a change that was interrupted, and completes or takes back what is half done. */
export function recoverChange(context: ChangeContext, id: string): Outcome {
  const { roots, store } = context;
  const manifest = store.find(id);
  if (!manifest) {
    store.forget(id);
    return notCarriedOut('it was interrupted before anything was changed');
  }
  const end = store.endOf(id);
  if (end) return end.isDone ? { status: 'ok', value: manifest.result } : notCarriedOut(end.reason);
  const isComplete = manifest.files.every((file) => standingIn(roots, file) === 'after');
  if (!isComplete) return takeBack(context, manifest, 'it was interrupted');
  context.beforeEffect();
  removeTemporaries(context, manifest);
  store.end(id, { isDone: true, reason: '' });
  return { status: 'ok', value: manifest.result };
}

/** Puts every file back that the change has reached. */
export function takeBack(context: ChangeContext, manifest: Manifest, reason: string): Outcome {
  const unclear: string[] = [];
  context.beforeEffect();
  removeTemporaries(context, manifest);
  manifest.files.forEach((file, index) => {
    try {
      const standing = standingOf(context.roots, file);
      if (standing === 'after') explaining(file.shown, () => putBack(context, manifest, index));
      if (standing === 'other') unclear.push(`${quote(file.shown)} was changed by another program`);
    } catch (error) {
      if (error instanceof ParentGone) throw error;
      unclear.push(error instanceof Error ? error.message : String(error));
    }
  });
  removeCreatedFolders(context.roots, manifest.createdFolders);
  if (unclear.length > 0)
    return {
      status: 'unknown',
      message: `The change failed (${reason}), and not all of it could be taken back: ${unclear.join('; ')}. Read the files to see their state.`,
    };
  context.store.end(manifest.id, { isDone: false, reason });
  return notCarriedOut(reason);
}

function standingIn(roots: readonly string[], file: Manifest['files'][number]): Standing {
  try {
    return standingOf(roots, file);
  } catch {
    // A file that cannot be read now cannot be called changed; taking back reports why.
    return 'other';
  }
}

function notCarriedOut(reason: string): Outcome {
  return { status: 'error', message: `The change was not carried out: ${reason.replace(/\.$/, '')}.` };
}
