import { basename, dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const sources = resolve(import.meta.dirname, '../../src');
/**
 * Node finds the packages that are not bundled from here. Runs may overlap, so each has its own folder; the process that
 * writes it is the one that transforms the sources.
 */
export const bundleFolder = resolve(
  import.meta.dirname,
  `../../../../node_modules/.cache/bundled-${process.pid}`,
);

/** What the service starts in a thread or process for each document or page, and loads many modules for. */
export const programs = [
  'discover/long-body-worker.ts',
  'knowledge/extraction/child.ts',
  'pages/page-worker.ts',
  'validation/json-schema/threads/check-worker.ts',
  'wiring/openapi-worker.ts',
].map((file) => `${sources}/${file}`);

/** Where the programs are started, the bundled ones take their place. `folder` is an expression for the address of their folder. */
export function startBundled(
  code: string,
  path: string,
  folder = JSON.stringify(pathToFileURL(bundleFolder).href),
): string {
  if (!path.startsWith(`${sources}/`)) return code;
  return code.replace(/new URL\('(\.[^']+)', import\.meta\.url\)/g, (written, file: string) => {
    const program = resolve(dirname(path), file);
    if (!programs.includes(program)) return written;
    return `new URL(${folder} + '/programs/${basename(program, '.ts')}.mjs')`;
  });
}

/** Vitest keeps transformed modules for later runs, so the folder of this one must not be in them. */
const folderOfThisRun = 'process.env.SVC_TEST_BUNDLE';
export const bundleEnvironment = { SVC_TEST_BUNDLE: pathToFileURL(bundleFolder).href };

const machinePrograms = resolve(import.meta.dirname, '../../../machine/src/program-file.ts');

/** For vitest, which runs the service's and the daemon's own code from their sources. */
export const runBundledPrograms = {
  name: 'run-bundled-programs',
  enforce: 'pre' as const,
  transform: {
    filter: { code: 'import.meta.url' },
    handler: (code: string, path: string) =>
      path === machinePrograms
        ? code
            .replace('import.meta.url', folderOfThisRun)
            .replace('import.meta.dirname', `new URL(${folderOfThisRun} + '/machine').pathname`)
        : startBundled(code, path, folderOfThisRun),
  },
};
