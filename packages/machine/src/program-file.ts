import { join } from 'node:path';

/**
 * Programs of this package that run as processes of their own, by the name of their file in dist. Start them with
 * `process.execPath` and `programFile(…)`, so that they are found both in a checkout and in the published package.
 */
export const programs = {
  'file-worker': 'files/file-worker.ts',
} as const;

export function programFile(name: keyof typeof programs): string {
  const isSource = import.meta.url.endsWith('.ts');
  return join(import.meta.dirname, isSource ? programs[name] : `${name}.mjs`);
}
