import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { projectFolder, workingFolder } from './project.mjs';

/** One Ctrl-C arrives twice: from the terminal, and again from npm, which passes it on. */
const samePressMilliseconds = 1_000;
export const passedOnSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Read at once: what is done before the program starts, such as an install, may take longer than npm lives. */
const launchedBy = process.ppid;
/** With Node's compile cache a start takes a quarter less time. */
const compiled = join(projectFolder, 'node_modules/.cache/compiled');

/**
 * Runs a program to its end and resolves with its exit code (128 + signal when a signal ended it).
 *
 * With `ownGroup` the terminal cannot reach the program: what it gets is what we pass on, each signal once. Without,
 * the terminal's Ctrl-C reaches it directly and is not repeated.
 */
export function runProgram(command, args, { ownGroup = false, onStart, ...options } = {}) {
  const windows = process.platform === 'win32';
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: workingFolder,
      stdio: 'inherit',
      env: { NODE_COMPILE_CACHE: compiled, ...process.env },
      detached: ownGroup && !windows,
      ...options,
    });
    const passedOn = new Map();
    const passOn = (signal) => {
      const last = passedOn.get(signal) ?? -Infinity;
      if (performance.now() - last < samePressMilliseconds) return;
      passedOn.set(signal, performance.now());
      // Windows shows Ctrl-C to the whole console, and a signal sent by hand there is a kill.
      const reachedByTerminal = windows || (!ownGroup && process.stdin.isTTY);
      if (signal === 'SIGINT' && reachedByTerminal) return;
      child.kill(signal);
    };
    for (const signal of passedOnSignals) process.on(signal, passOn);
    // npx may end at Ctrl-C before the program does, for which a second signal would mean to exit at once.
    const forgetNpm = onNpmDeath(() => passedOn.size === 0 && child.kill('SIGTERM'));
    const finish = () => {
      for (const signal of passedOnSignals) process.off(signal, passOn);
      forgetNpm();
    };
    child.once('error', (error) => {
      finish();
      reject(error);
    });
    child.once('exit', (code, signal) => {
      finish();
      resolve(code ?? 128 + constants.signals[signal]);
    });
    if (child.pid !== undefined) onStart?.(child.pid);
  });
}

/** A killed npm (kill -9) passes nothing on: without this its server would keep the port. Answers with the way to end it. */
export function onNpmDeath(act) {
  if (process.platform === 'win32' || !process.env.npm_lifecycle_event) return () => undefined;
  const timer = setInterval(() => {
    if (process.ppid === launchedBy) return;
    clearInterval(timer);
    act();
  }, 1_000);
  return () => clearInterval(timer);
}
