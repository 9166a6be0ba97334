import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { buildPackage } from '../../build.ts';

const run = promisify(execFile);
const modules = resolve(import.meta.dirname, '../../../../node_modules');

interface PackageManifest {
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
}

/** Builds the published package and puts it into a folder as `npm install` would; what it depends on is linked and not fetched. */
export async function installPackage(folder: string) {
  const installed = join(folder, 'node_modules/svc');
  await buildPackage(join(folder, 'built'));
  const { stdout } = await run('npm', ['pack', './built', '--ignore-scripts', '--json'], { cwd: folder });
  const [packed] = JSON.parse(stdout) as { filename: string }[];
  await mkdir(installed, { recursive: true });
  await run('tar', ['xzf', join(folder, packed?.filename ?? ''), '-C', installed, '--strip-components=1']);
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as PackageManifest;
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    const link = join(folder, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(modules, name), link);
  }
  return { installed, manifest, launcher: join(installed, 'packages/server/bin/svc.mjs') };
}
