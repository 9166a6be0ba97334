import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startBundled } from '../../programs.ts';

/**
 * Node finds the packages that are not bundled from here. Runs may overlap, so each has its own folder; the process that
 * writes it is the one that transforms the sources.
 */
export const bundleFolder = resolve(
  import.meta.dirname,
  `../../../../node_modules/.cache/bundled-${process.pid}`,
);

/** Vitest keeps transformed modules for later runs, so the folder of this one must not be in them. */
const folderOfThisRun = 'process.env.SVC_TEST_BUNDLE';
export const bundleEnvironment = { SVC_TEST_BUNDLE: pathToFileURL(`${bundleFolder}/`).href };

const sources = ['server', 'local-speech'].map((name) =>
  resolve(import.meta.dirname, `../../../${name}/src/`),
);
const machinePrograms = resolve(import.meta.dirname, '../../../machine/src/program-file.ts');

/** For vitest, which runs the service's and the daemon's own code from their sources. */
export const runBundledPrograms = {
  name: 'run-bundled-programs',
  enforce: 'pre' as const,
  transform: {
    filter: { code: 'import.meta.url' },
    handler(code: string, path: string): string {
      if (path === machinePrograms)
        return code
          .replace('import.meta.url', folderOfThisRun)
          .replace('import.meta.dirname', `new URL('machine', ${folderOfThisRun}).pathname`);
      if (!sources.some((folder) => path.startsWith(`${folder}/`)) || path.endsWith('.test.ts')) return code;
      return startBundled(code, path, folderOfThisRun);
    },
  },
};
