import { join } from 'node:path';
import { isClone, projectFolder, usableNode } from './project.mjs';
import { runProgram } from './run-program.mjs';

const server = join(
  projectFolder,
  isClone ? 'packages/server/src/main.ts' : 'packages/server/dist/service.mjs',
);

/** Runs the service in a process group of its own, with a channel that tells it when we are gone. */
export function runServer({ onStart } = {}) {
  const stopWithLauncher = new URL('stop-with-launcher.mjs', import.meta.url).href;
  return runProgram(usableNode(), ['--import', stopWithLauncher, server], {
    ownGroup: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    onStart,
  });
}
