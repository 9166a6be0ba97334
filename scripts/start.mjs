// npm start: from a fresh clone to a running service. Plain JavaScript for Node 20 and later, without dependencies,
// because it runs before anything is installed. `--watch` (npm run dev) starts again whenever a source changes.
//
// package.json says `exec` because some shells stay between npm and us otherwise: npm's signal would end the shell, and
// npm with it, while the service still drains. Windows has no `exec`, so there the second half of the line
// runs; elsewhere the shell is gone by then, and nothing runs twice.
import { browserSources, ensureBuilt } from './lib/build-when-changed.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { main, projectNode } from './lib/project.mjs';
import { rerunOnChange } from './lib/rerun-on-change.mjs';
import { runProgram } from './lib/run-program.mjs';

const server = 'packages/server/src/main.ts';
const watchedFolders = [
  ...['server', 'contract', 'sip', 'local-speech'].map((name) => `packages/${name}/src`),
  ...browserSources,
];

await main(async () => {
  const args = process.argv.slice(2);
  await ensureInstalled({ development: false });
  return args.includes('--watch') ? rerunOnChange(watchedFolders, runServer) : runServer({ args });
});

/** In a process group of its own, with a channel that tells it when we are gone. */
async function runServer({ args = [], onStart } = {}) {
  await ensureBuilt();
  const stopWithLauncher = new URL('lib/stop-with-launcher.mjs', import.meta.url).href;
  return runProgram(projectNode, ['--import', stopWithLauncher, server, ...args], {
    ownGroup: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    onStart,
  });
}
