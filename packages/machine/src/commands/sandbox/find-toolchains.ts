import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { isWithin } from '../../is-within.ts';
import { type Mount, privateHome } from './build-arguments.ts';
import { systemFolders } from './system-mounts.ts';

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

/** A program that installs tools into the home folder, in a place of its own. All paths are below the home folder. */
interface ToolManager {
  /** On the search path, or above a folder on it. */
  folder: string;
  /** What its tools need to see. */
  shows: readonly string[];
  /** Shown at the same place below the private home folder instead. */
  copies?: readonly string[];
  /** Tells its tools where they are, because the home folder is another one. */
  variable?: readonly [name: string, path: string];
}

/** Folders beside the programs are listed one by one where credentials are kept there, as in ~/.cargo. */
const toolManagers: readonly ToolManager[] = [
  {
    folder: '.cargo/bin',
    shows: ['.cargo/bin', '.rustup'],
    copies: ['.cargo/registry'],
    variable: ['RUSTUP_HOME', '.rustup'],
  },
  {
    folder: '.local/bin',
    shows: [
      '.local/bin',
      '.local/lib',
      '.local/pipx/venvs',
      '.local/share/pipx/venvs',
      '.local/share/uv/python',
      '.local/share/uv/tools',
    ],
  },
  { folder: '.asdf', shows: ['.asdf'], variable: ['ASDF_DATA_DIR', '.asdf'] },
  { folder: '.local/share/fnm', shows: ['.local/share/fnm'] },
  {
    folder: '.local/share/mise',
    shows: ['.local/share/mise'],
    variable: ['MISE_DATA_DIR', '.local/share/mise'],
  },
  { folder: '.local/share/pnpm', shows: ['.local/share/pnpm'], variable: ['PNPM_HOME', '.local/share/pnpm'] },
  { folder: '.nodenv', shows: ['.nodenv'], variable: ['NODENV_ROOT', '.nodenv'] },
  { folder: '.pyenv', shows: ['.pyenv'], variable: ['PYENV_ROOT', '.pyenv'] },
  { folder: '.rbenv', shows: ['.rbenv'], variable: ['RBENV_ROOT', '.rbenv'] },
  { folder: '.sdkman/candidates', shows: ['.sdkman/candidates'] },
  { folder: '.volta', shows: ['.volta'], variable: ['VOLTA_HOME', '.volta'] },
];
