// node scripts/run.mjs FILE [ARGUMENTS]: runs a file of the project on its own Node 24, installing first where needed.
import { ensureInstalled } from './lib/install.mjs';
import { main, Problem, projectNode } from './lib/project.mjs';
import { runProgram } from './lib/run-program.mjs';

await main(async () => {
  const [file, ...args] = process.argv.slice(2);
  if (!file) throw new Problem('which file? Usage: node scripts/run.mjs FILE [ARGUMENTS]');
  await ensureInstalled();
  return runProgram(projectNode, [file, ...args]);
});
