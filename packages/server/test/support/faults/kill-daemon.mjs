// Preloaded into svc-machine and the process that works on its files: kills both with SIGKILL at a chosen file operation.
// KILL_AT is JSON: { call: "renameSync", path: "part of a path", when: "before" or "after", count: 1 }.
import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { call, path, when, count } = JSON.parse(process.env.KILL_AT);
const isWorker = process.env.KILL_DAEMON !== undefined;
let seen = 0;

function killBoth() {
  if (isWorker) process.kill(Number(process.env.KILL_DAEMON), 'SIGKILL');
  process.kill(process.pid, 'SIGKILL');
}

function isPlace(args) {
  if (!args.some((argument) => typeof argument === 'string' && argument.includes(path))) return false;
  seen += 1;
  return seen === count;
}

for (const api of [fs, fs.promises]) {
  const original = api[call];
  if (!original) continue;
  api[call] = (...args) => {
    const isHere = isPlace(args);
    if (isHere && when === 'before') killBoth();
    const result = original.apply(api, args);
    if (!isHere || when !== 'after') return result;
    // The process never sees the result: it ends first.
    if (typeof result?.then === 'function') return result.then(killBoth);
    return killBoth();
  };
}

// The daemon starts its worker with an empty environment.
const { fork } = childProcess;
childProcess.fork = (file, args, options) =>
  fork(file, args, {
    ...options,
    execArgv: ['--import', import.meta.url],
    env: { ...options.env, KILL_AT: process.env.KILL_AT, KILL_DAEMON: String(process.pid) },
  });
syncBuiltinESMExports();
