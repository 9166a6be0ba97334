import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { errorCode } from '../../lib/error-code.ts';
import { isConnectionFailure } from '../driver-error.ts';
import type { EmbeddedContext } from './data-directory.ts';
import { findRunningPostmaster } from './postmaster.ts';
import { findServerAddress, type ServerAddress } from './server-address.ts';
import { type StartedServer, startServer } from './start-server.ts';

// Recovery after a crash reads the log since the last checkpoint: minutes on a slow disk.
const patienceInMilliseconds = 300_000;
const reportAfterMilliseconds = 5000;
// Child processes of a killed server may take a moment to end.
const contentionPatienceInMilliseconds = 60_000;
const contention = /lock file .* (already exists|is empty)|pre-existing shared memory block|could not bind/;
const absentCodes = ['ENOENT', 'ECONNREFUSED'];

export interface ReadyServer {
  state: 'ready';
  client: Client;
  address: ServerAddress;
  /** Resolves when the connection is gone, for whatever reason. */
  gone: Promise<void>;
}

type ConnectionAttempt =
  | ReadyServer
  /** It is starting, recovering or stopping: try again. */
  | { state: 'changing' }
  | { state: 'absent' };

interface ReachOptions {
  applicationName: string;
  formerPort?: number | undefined;
  /** Ends the waiting, and a start that it was waiting for. */
  signal?: AbortSignal | undefined;
}

/**
 * Connects to the server of the data directory and starts it if there is none. When several processes start it at the
 * same time, PostgreSQL's own lock lets one win, and the others connect to that one.
 */
export async function reachServer(context: EmbeddedContext, options: ReachOptions): Promise<ReadyServer> {
  const startedAt = performance.now();
  let started: StartedServer | undefined;
  let reportedWaiting = false;
  try {
    for (let pause = 25; ; pause = Math.min(pause * 1.2, 500)) {
      options.signal?.throwIfAborted();
      const attempt = await attemptConnection(context, options.applicationName);
      if (attempt.state === 'ready') return attempt;
      const waited = performance.now() - startedAt;
      if (attempt.state === 'absent' && !(await isComing(context, started))) {
        if (started) await refuseUnlessContended(context, started, waited);
        started = await startServer(context, options.formerPort);
      }
      if (waited > patienceInMilliseconds)
        throw new Error(`PostgreSQL did not become ready: see ${context.directory.log}`);
      if (waited > reportAfterMilliseconds && !reportedWaiting) {
        context.report('Waiting for PostgreSQL, which may be recovering from a crash…');
        reportedWaiting = true;
      }
      await delay(pause, undefined, { signal: options.signal });
    }
  } catch (error) {
    if (options.signal?.aborted) await started?.interrupt();
    throw error;
  }
}

/** Connects to the maintenance database, so that a connection that stays open does not block work on ours. */
export async function attemptConnection(
  context: EmbeddedContext,
  applicationName: string,
): Promise<ConnectionAttempt> {
  const address = await findServerAddress(context);
  if (address === undefined) return { state: 'absent' };
  const client = new Client({
    ...address,
    database: 'postgres',
    application_name: applicationName,
    connectionTimeoutMillis: 10_000,
    options: '-c idle_session_timeout=0',
  });
  // Without a listener a lost connection would end the process; `gone` and each query report it.
  client.on('error', () => undefined);
  const gone = new Promise<void>((resolve) => client.once('end', () => resolve()));
  try {
    await client.connect();
    return { state: 'ready', client, address, gone };
  } catch (error) {
    if (absentCodes.includes(errorCode(error) ?? '')) return { state: 'absent' };
    if (isConnectionFailure(error)) return { state: 'changing' };
    throw new Error(`The embedded PostgreSQL cannot be reached: ${String(error)}`, { cause: error });
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
  throw new Error(`PostgreSQL did not start: ${log || 'its log is empty'} (see ${context.directory.log})`);
}
