import { realpathSync } from 'node:fs';
import { ExplainedError } from './explained-error.ts';
import { isWithin } from './is-within.ts';

/** The real path of the file that the key was read from, which must not be in a root: agents could read it there. */
export function resolveKeyFile(path: string | undefined, roots: readonly string[]): string | undefined {
  const real = path === undefined ? undefined : realPath(path);
  const root = real === undefined ? undefined : roots.find((candidate) => isWithin(candidate, real));
  if (root === undefined) return real;
  throw new ExplainedError(
    `The file of the key, ${real}, is inside the root ${root}, where agents could read it: move it elsewhere.`,
  );
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    // A pipe, which has no path.
    return undefined;
  }
}
