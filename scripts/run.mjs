// node scripts/run.mjs [--development] FILE [ARGUMENTS]: runs a file of the project on its own Node 24, installing first
// where needed; with the devDependencies if it says so.
import { ensureInstalled } from './lib/install.mjs';
import { main, Problem, projectNode } from './lib/project.mjs';
import { runProgram } from './lib/run-program.mjs';

await main(async () => {
  const development = process.argv[2] === '--development';
  const [file, ...args] = process.argv.slice(development ? 3 : 2);
  if (!file) throw new Problem('which file? Usage: node scripts/run.mjs [--development] FILE [ARGUMENTS]');
  await ensureInstalled({ development });
  return runProgram(projectNode, [file, ...args]);
});
