import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { withInstallLock } from './install-lock.mjs';
import { missingNatives } from './native-packages.mjs';
import { Problem, projectFolder, projectNode, projectNodeVersion, say } from './project.mjs';
import { runProgram } from './run-program.mjs';

const modules = join(projectFolder, 'node_modules');
/** Says for which package-lock.json the folder was installed, or that an install began and did not end. */
const stampFile = join(modules, '.svc-installed');
const unfinished = 'unfinished';
/** Ends the stamp of an install that left the devDependencies out. */
const withoutDevelopment = ' without-development';

/**
 * Installs what package-lock.json asks for, unless that was done before. Writes to stderr only. The service and its command
 * line need no devDependencies: the tools and peers of the tests are 450 MB and take as long as half of the rest.
 */
export async function ensureInstalled({ development }) {
  if (isInstalled(development)) return;
  await withInstallLock(async (lock) => {
    // The previous holder of the lock may have installed already.
    if (!isInstalled(development)) await install(lock, development);
  });
}

function isInstalled(development) {
  const stamp = readStamp();
  const complete =
    stamp === expectedStamp() || (!development && stamp === expectedStamp() + withoutDevelopment);
  return complete && existsSync(projectNode);
}

async function install(lock, wanted) {
  const started = performance.now();
  say('installing the dependencies (only when they changed; about a minute the first time) …');
  const kept = canBuildOn();
  // npm removes what it is told to leave out: a developer keeps the tools when the service is started.
  const development = wanted || (kept && !readStamp()?.endsWith(withoutDevelopment));
  if (!kept) removeModules();
  mkdirSync(modules, { recursive: true });
  const stamp = development ? expectedStamp() : expectedStamp() + withoutDevelopment;
  writeFileSync(stampFile, unfinished);
  const code = await runNpm(
    // Not `npm ci`: it refuses a package-lock.json without the optional packages of other platforms, and it empties
    // node_modules under a running service. With the lock file present this installs exactly the same versions.
    installArguments(development),
    { onStart: lock.alsoHeldBy },
  );
  if (code !== 0) throw new Problem(`npm install failed (exit code ${code}). Its words are above.`);
  await installNatives(lock, development);
  requireProjectNode();
  writeFileSync(stampFile, stamp);
  say(`installed in ${Math.round((performance.now() - started) / 1000)} s.`);
}

function installArguments(development) {
  const which = development ? '--include=dev' : '--omit=dev';
  return ['install', '--no-save', which, '--no-audit', '--no-fund', '--loglevel=error'];
}

/** What builds the console has programs of its own for each platform. */
async function installNatives(lock, development) {
  const lockFile = JSON.parse(readFileSync(join(projectFolder, 'package-lock.json'), 'utf8'));
  const missing = missingNatives(lockFile, { platform: process.platform, arch: process.arch, development });
  if (missing.length === 0) return;
  const code = await runNpm([...installArguments(development), ...missing], { onStart: lock.alsoHeldBy });
  if (code !== 0) throw new Problem(`npm did not install ${missing.join(', ')} (exit code ${code}).`);
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

function requireProjectNode() {
  const expected = projectNodeVersion();
  if (!expected)
    throw new Problem(`there is no Node of the project for ${process.platform} on ${process.arch}.`);
  let version = 'missing';
  try {
    version = execFileSync(projectNode, ['--version'], { encoding: 'utf8' }).trim();
  } catch (error) {
    version = `not usable: ${error.code ?? error.message}`;
  }
  if (version === `v${expected}`) return;
  throw new Problem(
    `the project's own Node ${expected} did not arrive (${projectNode} is ${version}). ` +
      'It is an optional dependency: if npm is set to omit those, include them here, then try again.',
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
export function runNpm(args, { onStart, stdio = ['ignore', process.stderr.fd, process.stderr.fd] } = {}) {
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
