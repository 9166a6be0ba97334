import { constants, realpathSync } from 'node:fs';

/** What differs between Linux, macOS and Windows about paths. */
const isWindows = process.platform === 'win32';

export const separators: RegExp = isWindows ? /[\\/]/ : /\//;

/** Windows has neither flag; `openRegular` compares the file's identity as well. */
export const readFlags =
  constants.O_RDONLY | (isWindows ? 0 : constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY);
export const createFlags =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (isWindows ? 0 : constants.O_NOFOLLOW);

/**
 * The real path of the current directory as the kernel knows it. On Windows the current directory and the folders above it
 * cannot be renamed while it is in use, so that its path stays true.
 */
export function realCurrentDirectory(): string {
  return isWindows ? realpathSync.native('.') : process.cwd();
}

/** Names that are equal after this may be the same file. Only used to find the root; the kernel's spelling decides. */
export function foldName(name: string): string {
  if (isWindows) return name.toLowerCase();
  return process.platform === 'darwin' ? name.normalize('NFC').toLowerCase() : name;
}
