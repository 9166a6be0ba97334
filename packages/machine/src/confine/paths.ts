import { parse, sep } from 'node:path';
import { isWithin } from '../is-within.ts';
import { foldName, separators } from './platform.ts';

/** The names in a path after its prefix (`/`, or a drive on Windows). `.` and empty names are left out, `..` is kept. */
export function namesOf(path: string): string[] {
  return path
    .slice(parse(path).root.length)
    .split(separators)
    .filter((name) => name !== '' && name !== '.');
}

/** The path below the root with the root's own spelling, where the file system ignores case or Unicode forms. */
export function respell(root: string, path: string): string {
  const rootNames = namesOf(root);
  const names = namesOf(path);
  const isSame =
    foldName(parse(root).root) === foldName(parse(path).root) &&
    rootNames.every((name, index) => names[index] !== undefined && foldName(name) === foldName(names[index]));
  if (!isSame) return path;
  const rest = names.slice(rootNames.length);
  return [root.endsWith(sep) ? root.slice(0, -1) : root, ...rest].join(sep) || sep;
}

/** The root that a real path is in; the outermost one if roots are nested. */
export function rootOf(roots: readonly string[], path: string): string | undefined {
  return roots.filter((root) => isWithin(root, path)).toSorted((one, other) => one.length - other.length)[0];
}

/** How a real path is shown to the model: relative to the working directory, with forward slashes, if it is inside it. */
export function displayPath(workdir: string, path: string): string {
  if (!isWithin(workdir, path)) return path;
  return namesOf(path).slice(namesOf(workdir).length).join('/') || '.';
}
