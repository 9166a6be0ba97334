import { lchown, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Owner } from './data-directory.ts';

/** Gives a directory and all it holds to the server's user; does nothing when it is theirs already. */
export async function giveToOwner(path: string, owner: Owner | undefined): Promise<void> {
  if (owner === undefined || (await stat(path)).uid === owner.uid) return;
  for (const entry of await readdir(path, { recursive: true })) {
    await lchown(join(path, entry), owner.uid, owner.gid);
  }
  // Last, so that a crash in the middle is noticed and repaired by the next start.
  await lchown(path, owner.uid, owner.gid);
}
