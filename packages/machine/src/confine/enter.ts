import { isWithin } from '../is-within.ts';
import { realCurrentDirectory } from './platform.ts';
import { quote, Refusal } from './refusal.ts';

/**
 * Makes a folder the current directory of this process, and only then asks the kernel what it is. From there on its files
 * are used by their bare names: whatever is swapped in its path later, they are in the folder that was checked.
 */
export function enterExactly(root: string, directory: string): void {
  if (!isWithin(root, directory)) throw new Refusal(`${quote(directory)} is outside of the shared folder.`);
  process.chdir(directory);
  if (realCurrentDirectory() !== directory)
    throw new Refusal(`${quote(directory)} is now a link, or was replaced while it was being used.`);
}

/** Enters a folder of the current directory and returns its real path. */
export function enterChild(root: string, name: string): string {
  process.chdir(name);
  const directory = realCurrentDirectory();
  if (!isWithin(root, directory)) throw new Refusal(`${quote(name)} leads out of the shared folder.`);
  return directory;
}
