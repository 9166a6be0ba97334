// npm run build -w @svc/machine: writes the daemon and its programs into dist, one file each, with all that they import.
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import manifest from './package.json' with { type: 'json' };
import { programs } from './src/program-file.ts';

const project = resolve(import.meta.dirname, '../..');

/** Returns the size of each program that it wrote, in bytes. */
export async function buildMachine(folder: string): Promise<Map<string, number>> {
  await rm(folder, { recursive: true, force: true });
  const sizes = new Map<string, number>();
  const modules = new Set<string>();
  for (const [name, source] of Object.entries({ 'svc-machine': 'main.ts', ...programs })) {
    const file = join(folder, `${name}.mjs`);
    const bundle = await rolldown({ input: join(import.meta.dirname, 'src', source), platform: 'node' });
    // Readable: people may want to know what they let work on their machine.
    const { output } = await bundle.write({ file, minify: 'dce-only', codeSplitting: false });
    for (const chunk of output) {
      if (chunk.type === 'chunk') for (const id of chunk.moduleIds) modules.add(id);
    }
    await bundle.close();
    sizes.set(`${name}.mjs`, (await stat(file)).size);
  }
  await writeFile(join(folder, 'LICENSES.txt'), await collectLicenses([...modules]));
  return sizes;
}

/** Our license and those of the packages that ended up in the programs. */
async function collectLicenses(modules: string[]): Promise<string> {
  const packages = modules.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  const sections = [`\n${manifest.name} ${manifest.version}\n\n${await readLicense(project)}`];
  for (const folder of [...new Set(packages)].toSorted()) {
    const { name, version } = JSON.parse(
      await readFile(join(folder, 'package.json'), 'utf8'),
    ) as typeof manifest;
    sections.push(`\n${name} ${version}\n\n${await readLicense(folder)}`);
  }
  return sections.join(`\n${'-'.repeat(80)}\n`);
}

async function readLicense(folder: string): Promise<string> {
  const file = (await readdir(folder)).find((name) => /^licen[cs]e(\.\w+)?$/i.test(name));
  if (!file) throw new Error(`${folder} has no license file.`);
  return readFile(join(folder, file), 'utf8');
}

if (import.meta.main) {
  for (const [file, bytes] of await buildMachine(join(import.meta.dirname, 'dist'))) {
    process.stdout.write(`dist/${file}  ${Math.ceil(bytes / 1024)} KB\n`);
  }
}
