import { isAlive } from '../../state/process-start.ts';

/** Thrown instead of changing anything when the daemon is gone: its successor finds out how far the change came. */
export class ParentGone extends Error {
  override readonly name = 'ParentGone';
}

export function requireParent(parentId: number): void {
  if (!isParentAlive(parentId)) throw new ParentGone();
}

export function isParentAlive(parentId: number): boolean {
  // A process whose parent dies gets another parent, except on Windows.
  if (process.platform !== 'win32') return process.ppid === parentId;
  return isAlive(parentId);
}
