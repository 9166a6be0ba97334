import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findToolchains } from './find-toolchains.ts';

function useHome(folders: readonly string[]): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'svc-home-')));
  onTestFinished(() => rmSync(home, { recursive: true }));
  for (const folder of folders) mkdirSync(join(home, folder), { recursive: true });
  return home;
}

it('shows what the programs on the search path need, and nothing beside it', () => {
  const home = useHome([
    '.cargo/bin',
    '.cargo/registry',
    '.rustup',
    '.local/bin',
    '.local/lib',
    '.local/share/keyrings',
    '.nvm/versions/node/v24/bin',
    '.nvm/versions/node/v24/lib',
    '.nvm/versions/node/v24/include',
    '.pyenv/shims',
    'bin',
    'projects/bin',
    'projects/lib',
    'shop/node_modules/.bin',
    'shop/tools',
    '.ssh',
  ]);
  symlinkSync(join(home, '.nvm/versions/node/v24'), join(home, 'node'));
  const shop = join(home, 'shop');
  const folders = [
    ...[
      '.cargo/bin',
      '.local/bin',
      'node/bin',
      '.nvm/versions/node/v24/bin',
      '.pyenv/shims',
      'bin',
      'projects/bin',
    ],
    ...['shop/node_modules/.bin', 'shop/tools', 'missing', ''],
  ].map((folder) => join(home, folder));
  const found = findToolchains({
    searchPath: ['/usr/bin', ...folders, '.', '', '/mnt/c/Windows'].join(':'),
    home,
    hidden: [home, shop, join(home, '.local/state')],
    roots: [shop],
  });
  expect(
    found.mounts.map((mount) => `${'source' in mount ? mount.source : ''} ${mount.target}`).toSorted(),
  ).toEqual(
    [
      ...[
        '.cargo/bin',
        '.local/bin',
        '.local/lib',
        '.nvm/versions/node/v24',
        '.pyenv',
        '.rustup',
        'bin',
        'projects/bin',
      ]
        .map((path) => join(home, path))
        .map((path) => `${path} ${path}`),
      `${home}/.cargo/registry /run/svc-home/.cargo/registry`,
    ].toSorted(),
  );
  expect(found.searchPath).toBe(
    [
      '/usr/bin',
      ...[
        '.cargo/bin',
        '.local/bin',
        '.nvm/versions/node/v24/bin',
        '.pyenv/shims',
        'bin',
        'projects/bin',
        'shop/tools',
      ].map((path) => join(home, path)),
    ].join(':'),
  );
  expect(found.environment).toEqual({ RUSTUP_HOME: `${home}/.rustup`, PYENV_ROOT: `${home}/.pyenv` });
});
