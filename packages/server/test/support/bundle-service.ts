import { rm } from 'node:fs/promises';
import { buildMachine } from '../../../machine/build.ts';
import { bundle } from '../../bundle.ts';
import { bundleFolder } from './run-bundled-programs.ts';

/**
 * Writes what the published packages run: the service, its command, its programs and the daemon. Loading the service's 1,600 modules
 * takes a second of processor time, a program's up to half a second, and the tests start hundreds of both.
 */
export async function bundleService(): Promise<string> {
  await rm(bundleFolder, { recursive: true, force: true });
  await bundle(bundleFolder);
  await buildMachine(`${bundleFolder}/machine`);
  return bundleFolder;
}
