// npm run pack: writes the npm package `svc` into dist/package, and as svc-<version>.tgz beside it.
import { ensureInstalled, runNpm } from './lib/install.mjs';
import { main, Problem, projectNode } from './lib/project.mjs';
import { runProgram } from './lib/run-program.mjs';

await main(async () => {
  await ensureInstalled({ development: false });
  for (const name of ['widget', 'console', 'server']) {
    const code = await runProgram(projectNode, [`packages/${name}/build.ts`]);
    if (code !== 0) throw new Problem(`packages/${name} could not be built. The reason is above.`);
  }
  return runNpm(['pack', './dist/package', '--pack-destination', 'dist']);
});
