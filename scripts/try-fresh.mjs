// npm run try:fresh: what a person who clones this repository today sees. Clones what is committed into an empty folder,
// with an empty home, starts it, asks it something, stops it, starts it again, runs its tests, and removes everything.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, freshEnvironment, processesIn } from './lib/fresh-environment.mjs';
import { main, Problem, projectFolder, say } from './lib/project.mjs';

const firstStartWithin = 10 * 60_000;
const secondStartWithin = 5_000;
const stopWithin = 30_000;

const results = [];
const running = new Set();

await main(async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-fresh-')));
  // A clone that is interrupted must not leave its service behind.
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      for (const child of running) child.kill('SIGTERM');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      process.exit(1);
    });
  }
  try {
    await tryEverything(folder);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    say(error.message);
  } finally {
    for (const child of running) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 500 });
  }
  return report();
});

async function tryEverything(folder) {
  const clone = join(folder, 'svc');
  const home = join(folder, 'home');
  mkdirSync(home);
  if (git('status', '--porcelain') !== '')
    say('the working tree has changes that are not committed: they are not tried.');
  await step('clone', async () => git('clone', '--quiet', projectFolder, clone));
  const environment = { ...freshEnvironment(home), PORT: String(await freePort()) };
  const place = { cwd: clone, env: environment };

  const first = await step('first start', () => startService(place, firstStartWithin));
  const key = await step('the output says where the first key is', async () => {
    const path = /^ +(\S+first-key)$/m.exec(first.output())?.[1];
    return path ? readFileSync(path, 'utf8').trim() : fail('no first-key in the output', first.output());
  });
  await step('GET /api/v1/bots with that key', async () => {
    const answer = await fetch(`${first.url}/api/v1/bots`, { headers: { authorization: `Bearer ${key}` } });
    const body = await answer.text();
    if (answer.status !== 200 || !body.startsWith('[')) fail(`${answer.status} ${body}`);
  });
  await step('stop (SIGINT)', () => stopService(first));
  await step('nothing is left running', () => nothingLeft(folder));

  const second = await step('second start', () => startService(place, secondStartWithin));
  await step('stop again', () => stopService(second));
  await step('npm test', async () => {
    const { PORT: _unused, ...env } = environment;
    const code = await exitOf(launch(['test'], { ...place, env, stdio: 'inherit' }));
    if (code !== 0) fail(`exit code ${code}`);
  });
  await step('still nothing is left running', () => nothingLeft(folder));
}

async function startService({ cwd, env }, limit) {
  const child = launch(['start'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
  const output = () => Buffer.concat(chunks).toString();
  const url = `http://127.0.0.1:${env.PORT}`;
  const deadline = performance.now() + limit;
  while (!(await isReady(url))) {
    if (child.exitCode !== null) fail(`npm start ended with ${child.exitCode}`, output());
    if (performance.now() > deadline) fail(`not ready within ${limit / 1000} s`, output());
    await sleep(50);
  }
  return { child, output, url };
}

async function isReady(url) {
  try {
    return (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(1_000) })).status === 200;
  } catch {
    // The port is not open yet.
    return false;
  }
}

async function stopService({ child, output }) {
  const exit = exitOf(child);
  child.kill('SIGINT');
  const code = await Promise.race([exit, sleep(stopWithin, 'no exit', { ref: false })]);
  if (code !== 0) fail(`npm start ended with ${code} after SIGINT`, output());
}

async function nothingLeft(folder) {
  const left = processesIn(folder);
  if (left.length > 0) fail(`still running:\n${left.join('\n')}`);
}

function launch(args, options) {
  const child = spawn('npm', args, options);
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

function exitOf(child) {
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));
}

/** Runs one step and notes how it went. A failure ends the trial. */
async function step(name, work) {
  const started = performance.now();
  const note = (passed) => results.push({ name, passed, milliseconds: performance.now() - started });
  say(`${name} …`);
  try {
    const result = await work();
    note(true);
    return result;
  } catch (error) {
    note(false);
    throw error instanceof Problem ? error : new Problem(`${name}: ${error.message}`);
  }
}

function fail(reason, output = '') {
  throw new Problem(
    output ? `${reason}. The last words were:\n${output.trim().split('\n').slice(-30).join('\n')}` : reason,
  );
}

function git(...args) {
  return execFileSync('git', args, {
    cwd: projectFolder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
}

function report() {
  console.log('');
  for (const { name, passed, milliseconds } of results) {
    const duration = `${(milliseconds / 1000).toFixed(1)} s`.padStart(8);
    console.log(`${passed ? 'ok    ' : 'FAILED'} ${duration}  ${name}`);
  }
  return results.every(({ passed }) => passed) ? 0 : 1;
}
