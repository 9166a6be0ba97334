// npm test [-- VITEST ARGUMENTS]: installs what the tests need, then runs them on the project's own Node 24.
import { ensureDebianPackages } from './lib/debian-packages.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { withInstallLock } from './lib/install-lock.mjs';
import { main, projectNode } from './lib/project.mjs';
import { runProgram } from './lib/run-program.mjs';

/** What npm cannot bring. `program` on the PATH proves that the package is there. */
const debianPackages = [
  { name: 'chromium', program: 'chromium', purpose: 'the browser that opens the console and the widget' },
  { name: 'redis-server', program: 'redis-server', purpose: 'the server that connects several nodes' },
];

await main(async () => {
  await ensureInstalled();
  await withInstallLock(() => ensureDebianPackages(debianPackages));
  return runProgram(projectNode, ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)]);
});
