import { type Dirent, opendirSync } from 'node:fs';
import { join } from 'node:path';
import { enterExactly } from '../../confine/enter.ts';
import { codeOf, Refusal } from '../../confine/refusal.ts';

export interface Folder {
  /** The names from the base to this folder. */
  names: readonly string[];
  /** Sorted by name. */
  entries: readonly Dirent[];
  /** There are more entries than were read. */
  truncated: boolean;
}

interface FolderWalk {
  root: string;
  /** Real. */
  base: string;
  maxDepth: number;
  mayEnter(folder: Folder, name: string): boolean;
}

const maxEntries = 20_000;

/**
 * The folders below a base, those near it first. Each is the current directory while it is yielded. Links are not followed;
 * folders that vanish, are replaced by links or cannot be read are left out.
 */
export function* walkFolders({ root, base, maxDepth, mayEnter }: FolderWalk): Generator<Folder> {
  const waiting: (readonly string[])[] = [[]];
  for (let names = waiting.shift(); names; names = waiting.shift()) {
    const folder = readFolder(root, base, names);
    if (!folder) continue;
    yield folder;
    if (names.length + 1 >= maxDepth) continue;
    for (const entry of folder.entries)
      if (entry.isDirectory() && mayEnter(folder, entry.name)) waiting.push([...names, entry.name]);
  }
}

function readFolder(root: string, base: string, names: readonly string[]): Folder | undefined {
  try {
    enterExactly(root, join(base, ...names));
    return { names, ...readEntries() };
  } catch (error) {
    // The base itself must be readable.
    if (names.length > 0 && (error instanceof Refusal || codeOf(error)?.startsWith('E'))) return undefined;
    throw error;
  }
}

function readEntries(): Pick<Folder, 'entries' | 'truncated'> {
  const directory = opendirSync('.', { bufferSize: 1024 });
  try {
    const entries: Dirent[] = [];
    for (let entry = directory.readSync(); entry; entry = directory.readSync()) {
      if (entries.length === maxEntries) return { entries: sorted(entries), truncated: true };
      entries.push(entry);
    }
    return { entries: sorted(entries), truncated: false };
  } finally {
    directory.closeSync();
  }
}

function sorted(entries: Dirent[]): Dirent[] {
  return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}
