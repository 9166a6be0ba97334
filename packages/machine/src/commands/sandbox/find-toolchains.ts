import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { isWithin } from '../../is-within.ts';
import { type Mount, privateHome } from './build-arguments.ts';
import { systemFolders } from './system-mounts.ts';
import { type ToolManager, toolManagers } from './tool-managers.ts';

export interface Toolchains {
  mounts: Mount[];
  /** The folders to search for programs, as real paths. */
  searchPath: string;
  environment: Record<string, string>;
}

export interface ToolchainQuery {
  searchPath: string;
  home: string;
  /** Nothing that contains one of these is shown: the home folder, the roots and the daemon's state. */
  hidden: readonly string[];
  roots: readonly string[];
}

/** Finds what must be visible for the programs on the search path to work, without showing the home folder. */
export function findToolchains({ searchPath, home, hidden, roots }: ToolchainQuery): Toolchains {
  const folders = [...new Set(searchPath.split(delimiter).flatMap(realFolder))].filter(isUsable);
  const managers = new Set<ToolManager>();
  const shown = new Set<string>();
  for (const folder of folders) {
    if ([...systemFolders, ...roots].some((parent) => isWithin(parent, folder))) continue;
    const manager = toolManagers.find(({ folder: part }) => isWithin(join(home, part), folder));
    if (manager) managers.add(manager);
    else shown.add(isInstallation(dirname(folder)) ? dirname(folder) : folder);
  }
  const inHome = [...managers].flatMap(({ shows }) => shows.map((part) => join(home, part)));
  const inPrivateHome = [...managers].flatMap(({ copies }) =>
    (copies ?? []).map((part) => ({ source: join(home, part), target: join(privateHome, part) })),
  );
  return {
    mounts: [
      ...[...shown, ...inHome].filter(isUsable).map((path) => ({ source: path, target: path })),
      ...inPrivateHome,
    ]
      .filter(({ source }) => existsSync(source))
      .map((paths) => ({ kind: 'read-only', ...paths })),
    searchPath: folders.join(delimiter),
    environment: Object.fromEntries(
      [...managers].flatMap(({ variable }) => (variable ? [[variable[0], join(home, variable[1])]] : [])),
    ),
  };

  function isUsable(folder: string): boolean {
    // Windows' folders in WSL hold programs that run outside of Linux, and packages' folders hold links to elsewhere.
    if (/^\/mnt\/[a-z](?:\/|$)/.test(folder) || folder.endsWith('/node_modules/.bin')) return false;
    return !hidden.some((path) => isWithin(folder, path));
  }

  /** The usual layout below a prefix: `bin` needs what is beside it. */
  function isInstallation(prefix: string): boolean {
    const has = (name: string) => existsSync(join(prefix, name));
    return (
      isUsable(prefix) &&
      dirname(prefix) !== '/' &&
      basename(prefix) !== '.local' &&
      has('lib') &&
      (has('include') || has('share') || has('libexec')) &&
      !has('.git') &&
      !has('.ssh')
    );
  }
}

function realFolder(folder: string): string[] {
  if (!isAbsolute(folder)) return [];
  try {
    const real = realpathSync(folder);
    return statSync(real).isDirectory() ? [real] : [];
  } catch {
    // Search paths often name folders that do not exist.
    return [];
  }
}
