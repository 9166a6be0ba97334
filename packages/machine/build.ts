// npm run build -w @svc/machine: writes the daemon and its programs into dist, one file each, with all that they import.
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { programs } from './src/program-file.ts';

/** Returns the size of each file that it wrote, in bytes. */
export async function buildMachine(folder: string): Promise<Map<string, number>> {
  await rm(folder, { recursive: true, force: true });
  const sizes = new Map<string, number>();
  for (const [name, source] of Object.entries({ 'svc-machine': 'main.ts', ...programs })) {
    const file = join(folder, `${name}.mjs`);
    const bundle = await rolldown({ input: join(import.meta.dirname, 'src', source), platform: 'node' });
    // Readable: people may want to know what they let work on their machine.
    await bundle.write({ file, minify: 'dce-only', codeSplitting: false });
    await bundle.close();
    sizes.set(`${name}.mjs`, (await stat(file)).size);
  }
  return sizes;
}

if (import.meta.main) {
  for (const [file, bytes] of await buildMachine(join(import.meta.dirname, 'dist'))) {
    process.stdout.write(`dist/${file}  ${Math.ceil(bytes / 1024)} KB\n`);
  }
}
