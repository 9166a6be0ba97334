import { watch } from 'node:fs';
import { join } from 'node:path';
import { projectFolder, say } from './project.mjs';
import { onNpmDeath, passedOnSignals } from './run-program.mjs';

/** Editors save several files together: one restart is enough. */
const settleMilliseconds = 100;

/**
 * Runs a program again whenever a file in one of the folders changes, and after a failure only then. Resolves with the
 * exit code when it ends without a failure, or when we are stopped. Not `node --watch`: that would stay, with
 * the program, after we are killed.
 */
export async function rerunOnChange(folders, run) {
  let pid;
  let changed = false;
  let stopped = false;
  let wake = () => undefined;
  let settling;

  const restart = () => {
    if (pid !== undefined && !changed) process.kill(pid, 'SIGTERM');
    changed = true;
    wake();
  };
  const onChange = () => {
    clearTimeout(settling);
    settling = setTimeout(restart, settleMilliseconds);
  };
  const stop = () => {
    stopped = true;
    wake();
  };

  const watchers = folders.map((folder) => watch(join(projectFolder, folder), { recursive: true }, onChange));
  for (const signal of passedOnSignals) process.on(signal, stop);
  const forgetNpm = onNpmDeath(stop);
  try {
    for (;;) {
      changed = false;
      const code = await run({ onStart: (started) => (pid = started) });
      pid = undefined;
      if (stopped || (code === 0 && !changed)) return code;
      if (!changed) {
        say('waiting for a change …');
        await new Promise((resolve) => (wake = resolve));
        if (stopped) return code;
      }
      say('starting again …');
    }
  } finally {
    for (const watcher of watchers) watcher.close();
    for (const signal of passedOnSignals) process.off(signal, stop);
    clearTimeout(settling);
    forgetNpm();
  }
}
