import { type BigIntStats, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { dirname, isAbsolute, join, parse } from 'node:path';
import { isWithin } from '../is-within.ts';
import { enterChild, enterExactly } from './enter.ts';
import { isMaybeShort, requireListedName, requireUsableName } from './names.ts';
import { namesOf, respell } from './paths.ts';
import { codeOf, quote, Refusal } from './refusal.ts';

const maxLinks = 40;
/** Linux allows 4096, with room for temporary names. */
const maxPathBytes = 4000;
const maxMissing = 100;

/** Where a path leads after all links: an entry of a real folder, which is now the current directory. */
export interface Location {
  root: string;
  /** The real folder. */
  directory: string;
  /** Folders below it that do not exist yet. */
  missing: readonly string[];
  /** Undefined when the path is the folder itself: the root, or one that `..` leads to. */
  name: string | undefined;
  /** The real path. */
  path: string;
  /** Undefined when nothing exists there. Never a link. */
  stat: BigIntStats | undefined;
}

/**
 * Resolves an absolute path name by name, as the kernel would, but without looking at anything outside of the root: what
 * exists there cannot be learned from the answers.
 */
export function locate(root: string, path: string): Location {
  const walk = startWalk(root, respell(root, path));
  for (let name = walk.names.shift(); name !== undefined; name = walk.names.shift()) {
    const found = takeName(walk, name);
    if (found) return found;
  }
  if (!isWithin(root, walk.current)) throw outside(path);
  enterExactly(root, walk.current);
  const stat = lstatSync('.', { bigint: true });
  return { root, directory: walk.current, missing: [], name: undefined, path: walk.current, stat };
}

interface Walk {
  root: string;
  requested: string;
  names: string[];
  /** A real path: inside the root, where it is the current directory, or a folder above the root. */
  current: string;
  /** The folder that is the current directory, if it is known. */
  entered: string | undefined;
  links: number;
}

function startWalk(root: string, path: string): Walk {
  const names = namesOf(path);
  for (const name of names) requireUsableName(name);
  const walk = { root, requested: path, names, current: parse(path).root, entered: undefined, links: 0 };
  return enterParent(walk) ?? walk;
}

/** Most paths have no link and no short name: then one step leads to the last folder. Anything else is left to the walk, errors included. */
function enterParent(walk: Walk): Walk | undefined {
  const parent = join(walk.current, ...walk.names.slice(0, -1));
  const isPlain = !walk.names.some((name) => name === '..' || isMaybeShort(name));
  if (!isPlain || !isWithin(walk.root, parent)) return undefined;
  try {
    enterExactly(walk.root, parent);
  } catch (error) {
    if (error instanceof Refusal || codeOf(error)) return undefined;
    throw error;
  }
  return { ...walk, names: walk.names.slice(-1), current: parent, entered: parent };
}

function takeName(walk: Walk, name: string): Location | undefined {
  const { root } = walk;
  if (name === '..') {
    walk.current = dirname(walk.current);
    return undefined;
  }
  requireUsableName(name);
  const path = join(walk.current, name);
  if (!isWithin(root, path)) {
    if (!isWithin(path, root)) throw outside(walk.requested);
    // On the way down to the root, whose path is real: there is nothing to look up.
    walk.current = path;
    return undefined;
  }
  if (path === root) {
    enter(walk, path);
    return undefined;
  }
  enter(walk, walk.current);
  return takeEntry(walk, name, path);
}

function takeEntry(walk: Walk, name: string, path: string): Location | undefined {
  const { root, current: directory, names } = walk;
  const stat = lstatSync(name, { bigint: true, throwIfNoEntry: false });
  if (!stat) return missingEntry(walk, name);
  requireListedName(name, () => readdirSync('.'));
  if (stat.isSymbolicLink()) {
    followLink(walk, name);
    return undefined;
  }
  if (names.length === 0) return { root, directory, missing: [], name, path, stat };
  if (!stat.isDirectory())
    throw new Refusal(`${quote(walk.requested)} does not exist: ${quote(name)} is not a folder.`);
  walk.current = enterChild(root, name);
  walk.entered = walk.current;
  return undefined;
}

function missingEntry({ root, current: directory, names, requested }: Walk, name: string): Location {
  const all = [name, ...names];
  if (all.includes('..')) throw new Refusal(`${quote(requested)} does not exist.`);
  for (const missing of all) requireUsableName(missing);
  const missing = all.slice(0, -1);
  const path = join(directory, ...all);
  if (Buffer.byteLength(path) > maxPathBytes || missing.length > maxMissing)
    throw new Refusal(`${quote(requested.slice(0, 300))} does not exist, and is too long to be created.`);
  return {
    root,
    directory,
    missing,
    name: all.at(-1),
    path,
    stat: undefined,
  };
}

function followLink(walk: Walk, name: string): void {
  walk.links += 1;
  if (walk.links > maxLinks) throw new Refusal(`${quote(walk.requested)} has too many links in its path.`);
  const target = readlinkSync(name);
  const absolute = isAbsolute(target) ? respell(walk.root, target) : undefined;
  if (absolute !== undefined) walk.current = parse(absolute).root;
  walk.names.unshift(...namesOf(absolute ?? target));
}

function enter(walk: Walk, directory: string): void {
  if (walk.entered !== directory) enterExactly(walk.root, directory);
  walk.current = directory;
  walk.entered = directory;
}

function outside(path: string): Refusal {
  return new Refusal(`${quote(path)} is outside of the folder that this machine shares.`);
}
