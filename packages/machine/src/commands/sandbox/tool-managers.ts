/** A program that installs tools into the home folder, in a place of its own. All paths are below the home folder. */
export interface ToolManager {
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
export const toolManagers: readonly ToolManager[] = [
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
