// npm run check: everything that reads the sources without running them. Every step runs, even if one fails.
// npm run fix (`--fix`) writes what the formatter can repair.
import { spawn } from 'node:child_process';
import { ensureInstalled } from './lib/install.mjs';
import { main, projectFolder, projectNode } from './lib/project.mjs';
import { runProgram } from './lib/run-program.mjs';

const biome = 'node_modules/@biomejs/biome/bin/biome';
const vitest = 'node_modules/vitest/vitest.mjs';

/** The longest first, so that both workers finish together. */
const steps = [
  { name: 'unused code', args: ['node_modules/knip/bin/knip.js', '--no-progress'] },
  { name: 'lint', args: ['node_modules/oxlint/bin/oxlint', '--deny-warnings'] },
  { name: 'types', args: ['node_modules/typescript/bin/tsc', '-p', '.'] },
  { name: 'house rules', args: [vitest, 'run', '--project', 'house'] },
  { name: 'format', args: [biome, 'check', '--error-on-warnings', '.'] },
];
const concurrency = 2;

await main(async () => {
  await ensureInstalled({ development: true });
  if (process.argv.includes('--fix')) return runProgram(projectNode, [biome, 'check', '--write', '.']);
  const started = performance.now();
  const waiting = [...steps];
  const results = [];
  const worker = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) results.push(await runStep(step));
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return report(results, performance.now() - started);
});

/** Runs one step. Its output is printed when it ends, and only if it failed. */
function runStep({ name, args }) {
  const started = performance.now();
  return new Promise((resolve) => {
    const env = process.stdout.isTTY ? { ...process.env, FORCE_COLOR: '1' } : process.env;
    const child = spawn(projectNode, args, { cwd: projectFolder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    child.once('error', (error) => chunks.push(Buffer.from(`${error.message}\n`)));
    child.once('close', (code) => {
      const passed = code === 0;
      if (!passed) console.log(`\n── ${name} ──\n${Buffer.concat(chunks).toString().trim()}\n`);
      resolve({ name, passed, milliseconds: performance.now() - started });
    });
  });
}

function report(results, total) {
  for (const { name, passed, milliseconds } of results) {
    console.log(`${passed ? 'ok    ' : 'FAILED'}  ${name.padEnd(12)} ${seconds(milliseconds)}`);
  }
  const failed = results.filter(({ passed }) => !passed).length;
  console.log(
    `${failed === 0 ? 'All passed' : `${failed} of ${results.length} failed`} in ${seconds(total).trim()}`,
  );
  return failed === 0 ? 0 : 1;
}

function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(1)} s`.padStart(7);
}
