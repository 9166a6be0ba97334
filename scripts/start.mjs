// npm start: from a fresh clone to a running service. Plain JavaScript for Node 20 and later, without dependencies,
// because it runs before anything is installed. `--watch` (npm run dev) starts again whenever a source changes.
//
// package.json says `exec` because some shells stay between npm and us otherwise: npm's signal would end the shell, and
// npm with it, while the service still drains. Windows has no `exec`, so there the second half of the line runs.
import { ensureInstalled } from './lib/install.mjs';
import { main, projectNode } from './lib/project.mjs';
import { runProgram } from './lib/run-program.mjs';

const server = 'packages/server/src/main.ts';
const watchedFolders = ['packages/server/src', 'packages/contract/src'];

await main(async () => {
  const args = process.argv.slice(2);
  await ensureInstalled();
  return args.includes('--watch') ? watch() : start(args);
});

function start(args) {
  const stopWithLauncher = new URL('lib/stop-with-launcher.mjs', import.meta.url).href;
  return runProgram(projectNode, ['--import', stopWithLauncher, server, ...args], {
    ownGroup: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

function watch() {
  const paths = watchedFolders.map((folder) => `--watch-path=${folder}`);
  return runProgram(projectNode, ['--watch-preserve-output', ...paths, server], {
    ownGroup: true,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}
