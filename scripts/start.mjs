// npm start: from a fresh clone to a running service. Plain JavaScript for Node 20 and later, without dependencies,
// because it runs before anything is installed. `--watch` (npm run dev) starts again whenever a source changes.
//
// package.json says `exec` because some shells stay between npm and us otherwise: npm's signal would end the shell, and
// npm with it, while the service still drains. Windows has no `exec`, so there the second half of the line
// runs; elsewhere the shell is gone by then, and nothing runs twice.
import { browserSources, ensureBuilt } from './lib/build-when-changed.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { main } from './lib/project.mjs';
import { rerunOnChange } from './lib/rerun-on-change.mjs';
import { runServer } from './lib/run-server.mjs';

const watchedFolders = [
  ...['server', 'contract', 'sip', 'local-speech'].map((name) => `packages/${name}/src`),
  ...browserSources,
];

await main(async () => {
  await ensureInstalled({ development: false });
  return process.argv.includes('--watch') ? rerunOnChange(watchedFolders, buildAndRun) : buildAndRun();
});

async function buildAndRun(options) {
  await ensureBuilt();
  return runServer(options);
}
