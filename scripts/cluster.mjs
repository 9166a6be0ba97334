// npm run cluster [-- ARGUMENTS]: installs what the cluster test needs, then runs it on the project's own Node 24.
import { ensureDebianPackages, redisServer } from './lib/debian-packages.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { withInstallLock } from './lib/install-lock.mjs';
import { main, projectNode } from './lib/project.mjs';
import { runProgram } from './lib/run-program.mjs';

await main(async () => {
  const args = process.argv.slice(2);
  await ensureInstalled({ development: true });
  if (!args.includes('--without-redis')) await withInstallLock(() => ensureDebianPackages([redisServer]));
  return runProgram(projectNode, ['packages/server/test/cluster/run.ts', ...args]);
});
