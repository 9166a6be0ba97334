import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { parse, resolve } from 'node:path';
import { ExplainedError, explain } from './explained-error.ts';
import { isWithin } from './is-within.ts';

const maxRoots = 100;

/**
 * The folders that agents may work in, as real paths, none inside another. They are resolved once: a link that is changed later does
 * not move a root.
 */
export function resolveRoots(given: readonly string[]): { paths: string[]; warnings: string[] } {
  if (given.length === 0) {
    throw new ExplainedError('Which folders may agents work in? Name at least one with --root.');
  }
  const real = [...new Set(given.map(realFolder))];
  const paths = real.filter((path) => !real.some((other) => other !== path && isWithin(other, path)));
  if (paths.length > maxRoots)
    throw new ExplainedError(`At most ${maxRoots} roots are possible; name a folder above.`);
  const nested = real.filter((path) => !paths.includes(path));
  return {
    paths,
    warnings: [
      ...nested.map((path) => `the root ${path} is inside another root and adds nothing.`),
      ...paths.flatMap(warnOfWideRoot),
    ],
  };
}

function realFolder(given: string): string {
  const path = resolve(given);
  try {
    const real = realpathSync.native(path);
    if (!statSync(real).isDirectory()) throw new ExplainedError(`The root ${path} is not a folder.`);
    // Otherwise the sandbox could not start because of it, and commands in other roots would run without one.
    accessSync(real, constants.R_OK | constants.X_OK);
    return real;
  } catch (error) {
    if (error instanceof ExplainedError) throw error;
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new ExplainedError(
      isMissing ? `The root ${path} does not exist.` : `The root ${path} cannot be used (${explain(error)}).`,
    );
  }
}

function warnOfWideRoot(path: string): string[] {
  if (path === parse(path).root) return [`the root ${path} is the whole disk: agents can read all of it.`];
  if (!isWithin(path, realHome())) return [];
  return [`the root ${path} contains your home folder: agents can read your keys and settings.`];
}

export function realHome(): string {
  try {
    return realpathSync.native(homedir());
  } catch {
    // Services may run as a user whose home does not exist.
    return homedir();
  }
}
