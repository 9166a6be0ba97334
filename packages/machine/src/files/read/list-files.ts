import { type Dirent, lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { ListedFiles, ListFiles } from '@svc/contract/machine-protocol';
import type { Location } from '../../confine/locate.ts';
import { isGitName } from '../../confine/names.ts';
import { displayPath } from '../../confine/paths.ts';
import { explaining, quote, Refusal } from '../../confine/refusal.ts';
import { locateIn, type Workdir } from '../../confine/workdir.ts';
import { timeLimits } from '../time-limits.ts';
import { walkFolders } from './folders.ts';
import { compileGlob } from './glob.ts';

const maxEntries = 1000;
const maxBytes = 256 * 1024;
const maxDepth = 20;

export function listFiles(workdir: Workdir, options: ListFiles): ListedFiles {
  const path = options.path ?? '.';
  const base = locateIn(workdir, path);
  if (!base.stat) throw new Refusal(`${quote(path)} does not exist.`);
  if (!base.stat.isDirectory()) throw new Refusal(`${quote(path)} is not a folder; use read_file.`);
  return explaining(path, () => collect(workdir, base, options));
}

function collect(
  workdir: Workdir,
  { root, path: base }: Location,
  { pattern, depth }: ListFiles,
): ListedFiles {
  const matches = pattern === undefined ? () => true : compileGlob(pattern);
  const deadline = Date.now() + timeLimits.partial;
  const list: ListedFiles = { entries: [], truncated: false };
  let bytes = 0;
  const folders = walkFolders({
    root,
    base,
    maxDepth: depth ?? (pattern === undefined ? 1 : maxDepth),
    mayEnter: (_, name) => mayEnter(name, pattern),
  });
  for (const folder of folders) {
    list.truncated ||= folder.truncated;
    for (const entry of folder.entries) {
      const names = [...folder.names, entry.name];
      if (!matches(names.join('/'))) continue;
      const shown = displayPath(workdir.path, join(base, ...names));
      bytes += Buffer.byteLength(shown);
      if (list.entries.length === maxEntries || bytes > maxBytes) return { ...list, truncated: true };
      list.entries.push(describe(entry, shown));
    }
    if (Date.now() > deadline) return { ...list, truncated: true };
  }
  return list;
}

/** Folders that are large and rarely meant; they are entered when the pattern names them, or when they are the base. */
function mayEnter(name: string, pattern: string | undefined): boolean {
  if (name !== 'node_modules' && !isGitName(name)) return true;
  return pattern?.split('/').includes(name) ?? false;
}

function describe(entry: Dirent, path: string): ListedFiles['entries'][number] {
  if (entry.isDirectory()) return { path, type: 'directory' };
  if (entry.isSymbolicLink()) return { path, type: 'link' };
  if (!entry.isFile()) return { path, type: 'other' };
  const size = lstatSync(entry.name, { throwIfNoEntry: false })?.size;
  return { path, type: 'file', ...(size === undefined ? {} : { size }) };
}
