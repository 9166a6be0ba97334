import { realpathSync } from 'node:fs';
import { stat as readStat, realpath } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { type Location, locate } from './locate.ts';
import { namesOf, rootOf } from './paths.ts';
import { explaining, quote, Refusal } from './refusal.ts';

/** The folder that an operation works in, and the root that all its paths must stay in. */
export interface Workdir {
  root: string;
  /** Real. */
  path: string;
  /** As the service named it, possibly through links. */
  requested: string;
  /** A person has agreed to what is being done. */
  mayOpenSecrets?: boolean;
}

export function openWorkdir(roots: readonly string[], requested: string): Workdir {
  const real = realPathOf(requested);
  const root = real === undefined ? undefined : rootOf(roots, real);
  if (real === undefined || root === undefined) throw notShared(requested);
  const { path, stat } = explaining(requested, () => locate(root, real));
  if (!stat?.isDirectory()) throw notShared(requested);
  return { root, path, requested };
}

/** Finds what a path of an operation leads to; its folder becomes the current directory. */
export function locateIn(workdir: Workdir, path: string): Location {
  return explaining(path, () => locate(workdir.root, absolutePath(workdir, path)));
}

function absolutePath({ path: base, requested }: Workdir, path: string): string {
  if (path.includes('\0')) throw new Refusal('The path contains a NUL character.');
  if (/^[\\/]{2}[?.][\\/]/.test(path)) throw new Refusal(`${quote(path)} is a device path.`);
  if (!isAbsolute(path)) return joinNames(base, namesOf(path));
  // The model knows the working directory by the name that it was given, which may lead through links.
  const given = namesOf(requested);
  const names = namesOf(path);
  if (requested !== base && given.every((name, index) => names[index] === name))
    return joinNames(base, names.slice(given.length));
  return path;
}

/** Unlike `join` of a whole path, keeps `..`: what it means depends on the links before it. */
function joinNames(base: string, names: readonly string[]): string {
  return names.length === 0 ? base : `${join(base, '/')}${names.join('/')}`;
}

/**
 * For commands: the real folder that a path leads to. It runs in the daemon, which has no current directory of its own, so
 * that the folder may be replaced before the command starts: the sandbox, where there is one, confines the command.
 */
export async function resolveDirectory(
  roots: readonly string[],
  workdir: string,
  path?: string,
): Promise<string> {
  const base = await realpathOrUndefined(workdir);
  const root = base === undefined ? undefined : rootOf(roots, base);
  if (base === undefined || root === undefined) throw notShared(workdir);
  if (!(await isDirectory(base))) throw notShared(workdir);
  if (path === undefined) return base;
  const target = await realpathOrUndefined(absolutePath({ root, path: base, requested: workdir }, path));
  if (target === undefined || rootOf([root], target) === undefined || !(await isDirectory(target)))
    throw new Refusal(`${quote(path)} is not a folder inside of the folder that this machine shares.`);
  return target;
}

/** The same message for everything outside, so that it does not tell what exists there. */
function notShared(workdir: string): Refusal {
  return new Refusal(`${quote(workdir)} is not a folder inside of the folders that this machine shares.`);
}

function realPathOf(path: string): string | undefined {
  if (!isAbsolute(path) || path.includes('\0')) return undefined;
  try {
    return realpathSync.native(path);
  } catch {
    // Whatever the reason is, the folder cannot be used.
    return undefined;
  }
}

async function realpathOrUndefined(path: string): Promise<string | undefined> {
  if (!isAbsolute(path) || path.includes('\0')) return undefined;
  // Whatever the reason is, the folder cannot be used.
  return realpath(path).catch(() => undefined);
}

async function isDirectory(path: string): Promise<boolean> {
  // A folder that is gone by now cannot be used either.
  return readStat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
