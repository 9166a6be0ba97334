import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { withInstallLock } from './install-lock.mjs';
import { Problem, projectFolder, projectNode, say } from './project.mjs';
import { runProgram } from './run-program.mjs';

const modules = join(projectFolder, 'node_modules');
/** Says for which package-lock.json the folder was installed, or that an install began and did not end. */
const stampFile = join(modules, '.svc-installed');
const unfinished = 'unfinished';

/** Installs what package-lock.json asks for, unless that was done before. Writes to stderr only. */
export async function ensureInstalled() {
  if (isInstalled()) return;
  await withInstallLock(async (lock) => {
    // The previous holder of the lock may have installed already.
    if (!isInstalled()) await install(lock);
  });
}

function isInstalled() {
  return readStamp() === expectedStamp() && existsSync(projectNode);
}

async function install(lock) {
  const started = performance.now();
  say('installing the dependencies (only when they changed; about a minute the first time) …');
  if (!canBuildOn()) removeModules();
  mkdirSync(modules, { recursive: true });
  const stamp = expectedStamp();
  writeFileSync(stampFile, unfinished);
  const code = await runNpm(
    // Not `npm ci`: it refuses a package-lock.json without the optional packages of other platforms, and it empties
    // node_modules under a running service. With the lock file present this installs exactly the same versions.
    ['install', '--no-save', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'],
    { onStart: lock.alsoHeldBy },
  );
  if (code !== 0) throw new Problem(`npm install failed (exit code ${code}). Its words are above.`);
  requireNode24();
  writeFileSync(stampFile, stamp);
  say(`installed in ${Math.round((performance.now() - started) / 1000)} s.`);
}

/** True when npm finished whatever it did here before, by our hand or by the user's: then only the difference is new. */
function canBuildOn() {
  return readStamp() !== unfinished && existsSync(join(modules, '.package-lock.json'));
}

function removeModules() {
  try {
    rmSync(modules, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    throw new Problem(
      `node_modules is unfinished and cannot be removed (${error.code}): delete it, try again.`,
    );
  }
}

function requireNode24() {
  let version = 'missing';
  try {
    version = execFileSync(projectNode, ['--version'], { encoding: 'utf8' }).trim();
  } catch (error) {
    version = `not usable: ${error.code ?? error.message}`;
  }
  if (version.startsWith('v24.')) return;
  throw new Problem(
    `the project's own Node 24 did not arrive (${projectNode} is ${version}). ` +
      'It comes with an install script: if npm is set to ignore-scripts, allow them here, then try again.',
  );
}

function readStamp() {
  return existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : undefined;
}

function expectedStamp() {
  const lockFile = readFileSync(join(projectFolder, 'package-lock.json'));
  return `${createHash('sha256').update(lockFile).digest('hex')} ${process.platform}-${process.arch}`;
}

/** Runs the npm that we were started by, with its output on stderr unless `stdio` says otherwise. */
export function runNpm(args, { onStart, stdio = ['ignore', process.stderr.fd, process.stderr.fd] }) {
  // npm must not run on the very Node that it is about to replace.
  const ownPrograms = resolve(modules, '.bin');
  const path = (process.env.PATH ?? '').split(delimiter).filter((entry) => resolve(entry) !== ownPrograms);
  const options = {
    stdio,
    env: { ...process.env, PATH: path.join(delimiter) },
    onStart,
  };
  const { npm_execpath: npm, npm_node_execpath: node } = process.env;
  if (npm && /npm-cli\.[cm]?js$/.test(npm))
    return runProgram(node ?? process.execPath, [npm, ...args], options);
  // npm is a .cmd file on Windows, and those need a shell. The arguments are all ours.
  return runProgram('npm', args, { ...options, shell: process.platform === 'win32' });
}
