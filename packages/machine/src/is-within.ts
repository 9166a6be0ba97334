import { isAbsolute, relative, sep } from 'node:path';

/** Whether a real path is this folder or below it, compared by component. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
