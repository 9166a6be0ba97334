import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder, whatever the current directory. */
export const projectFolder = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/** Node 24, brought by the npm package `node`. */
export const projectNode = resolve(
  projectFolder,
  'node_modules/node/bin',
  process.platform === 'win32' ? 'node.exe' : 'node',
);

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
