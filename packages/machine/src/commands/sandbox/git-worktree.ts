import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isWithin } from '../../is-within.ts';

/** A path and a few characters. */
const maxBytes = 8192;

/**
 * The repository of a linked worktree, whose `.git` is a file that names a folder elsewhere. Commands can write that file,
 * so a folder outside of the root counts only if it names the worktree in return, as git writes it.
 */
export async function findWorktreeRepository(root: string, cwd: string): Promise<string | undefined> {
  for (let folder = cwd; isWithin(root, folder); folder = dirname(folder)) {
    const repository = await readWorktree(join(folder, '.git'));
    if (repository && !isWithin(root, repository)) return repository;
    if (folder === dirname(folder)) break;
  }
  return undefined;
}

async function readWorktree(file: string): Promise<string | undefined> {
  try {
    const named = /^gitdir: (.+)$/m.exec(await readRegular(file))?.[1];
    if (named === undefined) return undefined;
    const worktree = await realpath(resolve(dirname(file), named));
    if (basename(dirname(worktree)) !== 'worktrees') return undefined;
    const namedInReturn = (await readRegular(join(worktree, 'gitdir'))).trim();
    if (resolve(worktree, namedInReturn) !== file) return undefined;
    const repository = dirname(dirname(worktree));
    await readRegular(join(repository, 'HEAD'));
    return repository;
  } catch {
    // Not a worktree, or not a complete one: git itself reports what is wrong.
    return undefined;
  }
}

/** A command may put a link, a pipe or something huge in its place at any time. */
async function readRegular(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error('not a regular file');
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
