import { setTimeout as delay } from 'node:timers/promises';
import type { EmbeddedContext } from './context.ts';
import { errorCode } from './error-code.ts';
import { findBinaries } from './find-binaries.ts';
import { findRunningPostmaster, isPostmaster } from './is-postmaster.ts';
import { runProgram } from './run-program.ts';

// A last checkpoint writes what is in memory; a slow disk needs its time.
const patienceInMilliseconds = 60_000;
const pauseInMilliseconds = 20;

/** Shuts the server down in order, ending its connections; resolves when it is gone. */
export async function stopServer({ directory }: EmbeddedContext): Promise<void> {
  const { cluster, root } = directory;
  const processId = await findRunningPostmaster(cluster);
  if (processId === undefined)
    throw new Error(`The PostgreSQL of ${root} runs out of reach of this process.`);
  await askToStop(processId, cluster);
  const deadline = Date.now() + patienceInMilliseconds;
  while (await isPostmaster(processId, cluster)) {
    if (Date.now() > deadline) {
      throw new Error(`PostgreSQL (process ${processId}) of ${root} is still stopping: see ${directory.log}`);
    }
    await delay(pauseInMilliseconds);
  }
}

async function askToStop(processId: number, cluster: string): Promise<void> {
  if (process.platform === 'win32') {
    const { pgCtl } = await findBinaries();
    const { succeeded, output } = await runProgram([pgCtl, 'stop', '-D', cluster, '-m', 'fast', '--no-wait']);
    if (!succeeded) throw new Error(`PostgreSQL could not be stopped: ${output}`);
    return;
  }
  try {
    // PostgreSQL's "fast" shutdown.
    process.kill(processId, 'SIGINT');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}
