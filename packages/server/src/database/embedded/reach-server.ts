import { setTimeout as delay } from 'node:timers/promises';
import { attemptConnection, type ReadyServer } from './attempt-connection.ts';
import type { EmbeddedContext } from './context.ts';
import { findRunningPostmaster } from './is-postmaster.ts';
import { type StartedServer, startServer } from './start-server.ts';

// Recovery after a crash reads the log since the last checkpoint: minutes on a slow disk.
const patienceInMilliseconds = 300_000;
const newsAfterMilliseconds = 5000;
// Processes of a killed server may need a moment to notice it.
const contentionPatienceInMilliseconds = 60_000;
const contention = /lock file .* (already exists|is empty)|pre-existing shared memory block|could not bind/;

interface ReachOptions {
  applicationName: string;
  formerPort?: number | undefined;
  /** Ends the waiting, and a start that it was waiting for. */
  signal?: AbortSignal | undefined;
}

/**
 * Connects to the server of the data directory and starts it if there is none. Of several processes that start it
 * in the same moment one wins; PostgreSQL's own lock turns the others away, and they find the winner here.
 */
export async function reachServer(context: EmbeddedContext, options: ReachOptions): Promise<ReadyServer> {
  const begun = Date.now();
  let started: StartedServer | undefined;
  let toldOfWaiting = false;
  try {
    for (let pause = 25; ; pause = Math.min(pause * 1.2, 500)) {
      options.signal?.throwIfAborted();
      const attempt = await attemptConnection(context, options.applicationName);
      if (attempt.state === 'ready') return attempt;
      const waited = Date.now() - begun;
      if (attempt.state === 'absent' && !(await isComing(context, started))) {
        if (started) await refuseUnlessContended(context, started, waited);
        started = await startServer(context, options.formerPort);
      }
      if (waited > patienceInMilliseconds)
        throw new Error(`PostgreSQL did not become ready: ${see(context)}`);
      if (waited > newsAfterMilliseconds && !toldOfWaiting) {
        context.report('Waiting for PostgreSQL, which may be recovering from a crash…');
        toldOfWaiting = true;
      }
      await delay(pause, undefined, { signal: options.signal });
    }
  } catch (error) {
    if (options.signal?.aborted) await started?.interrupt();
    throw error;
  }
}

async function isComing(context: EmbeddedContext, started: StartedServer | undefined): Promise<boolean> {
  if (started && !started.hasEnded()) return true;
  return (await findRunningPostmaster(context.directory.cluster)) !== undefined;
}

async function refuseUnlessContended(
  context: EmbeddedContext,
  started: StartedServer,
  waited: number,
): Promise<void> {
  const log = await started.readLog();
  if (contention.test(log) && waited < contentionPatienceInMilliseconds) return;
  throw new Error(`PostgreSQL did not start: ${log || 'it said nothing'} (${see(context)})`);
}

function see({ directory }: EmbeddedContext): string {
  return `see ${directory.log}`;
}
