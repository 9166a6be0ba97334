import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../../lib/error-code.ts';
import { isConnectionFailure } from '../driver-error.ts';
import type { EmbeddedContext } from './data-directory.ts';
import { leaveLocks } from './directory-locks.ts';
import { findRunningPostmaster, isPostmaster } from './postmaster.ts';
import { findBinaries, runProgram } from './programs.ts';
import { attemptConnection, type ReadyServer } from './reach-server.ts';

// The last checkpoint writes what is in memory, which takes time on a slow disk.
const patienceInMilliseconds = 60_000;
const pauseInMilliseconds = 20;

/** Releases this process's locks, and stops the server when no other process uses it. */
export async function leaveServer(
  context: EmbeddedContext,
  joined: ReadyServer | undefined,
): Promise<'stopped' | 'left running'> {
  const server = joined ?? (await findServer(context));
  if (server === undefined) return 'stopped';
  try {
    const { alone } = await leaveLocks(server.client);
    if (!alone) return 'left running';
    await stopServer(context);
    return 'stopped';
  } catch (error) {
    if (!isConnectionFailure(error)) throw error;
    return await leaveServer(context, undefined);
  } finally {
    await server.client.end();
  }
}

// A lost connection no longer holds locks, but another process may have started a server since.
async function findServer(context: EmbeddedContext): Promise<ReadyServer | undefined> {
  const deadline = performance.now() + patienceInMilliseconds;
  while (performance.now() < deadline) {
    const attempt = await attemptConnection(context, `svc leaving ${process.pid}`);
    if (attempt.state === 'ready') return attempt;
    if (attempt.state === 'absent' && !(await findRunningPostmaster(context.directory.cluster)))
      return undefined;
    await delay(pauseInMilliseconds);
  }
  throw new Error(`PostgreSQL in ${context.directory.root} does not respond and was not stopped.`);
}

/** Shuts the server down cleanly, ending its connections; resolves when it is gone. */
async function stopServer({ directory }: EmbeddedContext): Promise<void> {
  const { cluster, root } = directory;
  const processId = await findRunningPostmaster(cluster);
  if (processId === undefined)
    throw new Error(`The PostgreSQL of ${root} cannot be reached from this process.`);
  await askToStop(processId, cluster);
  const deadline = performance.now() + patienceInMilliseconds;
  while (await isPostmaster(processId, cluster)) {
    if (performance.now() > deadline) {
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
