import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem, projectFolder, say } from './project.mjs';

/** Beside node_modules, because an install may remove everything inside. */
const folder = join(projectFolder, '.install-lock');
const ownerFile = join(folder, 'owner');
const giveUpAfter = 15 * 60_000;
/** A folder without an owner for longer than this was left by a process that died between the two steps. */
const namelessFor = 10_000;

/** Waits until no other process installs in this clone, runs `work` alone, and releases the lock. */
export async function withInstallLock(work) {
  const token = await acquire();
  try {
    return await work({
      /** A program that must have ended too before the lock is free, if we are killed. */
      alsoHeldBy: (pid) => writeOwner(token, pid),
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function acquire() {
  const token = randomUUID();
  const started = Date.now();
  let told = false;
  while (!tryToMake(token) && !tryToTakeOver(token)) {
    if (Date.now() - started > giveUpAfter) {
      throw new Problem(`another install does not end. If none is running, delete ${folder} and try again.`);
    }
    if (!told && Date.now() - started > 1_000) {
      say(`another process is installing in this folder, waiting for it. (If none is, delete ${folder}.)`);
      told = true;
    }
    await sleep(100);
  }
  return token;
}

function tryToMake(token) {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  writeOwner(token);
  return true;
}

/**
 * Only one of several waiters can make the claim folder of a dead owner, and the owner is read again afterwards: so a
 * slow waiter cannot take a lock which meanwhile belongs to a live process.
 */
function tryToTakeOver(token) {
  const owner = readOwner();
  if (!owner || owner.pids.some(isAlive)) return false;
  const claim = join(folder, `claim-${owner.token}`);
  try {
    mkdirSync(claim);
    if (readOwner()?.token === owner.token) {
      writeOwner(token);
      return true;
    }
    rmdirSync(claim);
  } catch (error) {
    if (error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error;
  }
  return false;
}

function writeOwner(token, ...otherPids) {
  writeFileSync(ownerFile, [token, process.pid, ...otherPids].join(' '));
}

function readOwner() {
  try {
    const [token, ...pids] = readFileSync(ownerFile, 'utf8').split(' ');
    if (token && pids.length > 0) return { token, pids: pids.map(Number) };
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  return ageOfFolder() > namelessFor ? { token: 'nameless', pids: [] } : undefined;
}

function ageOfFolder() {
  return Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
}

function isAlive(pid) {
  // A container that starts again hands out the same numbers: our own number in a lock we do not hold is a dead one.
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
