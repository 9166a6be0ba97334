import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { isWithin } from '../../is-within.ts';

/**
 * The absolute path of a program that the daemon itself starts. Folders inside a root are left out: a bot could put a
 * program of that name there.
 */
export function findProgram(
  name: string,
  searchPath: string | undefined,
  roots: readonly string[],
): string | undefined {
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  for (const folder of (searchPath ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    try {
      const path = realpathSync(join(folder, file));
      if (!statSync(path).isFile() || roots.some((root) => isWithin(root, path))) continue;
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not in this folder: the next one may have it.
    }
  }
  return undefined;
}
