import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { isConnectionFailure } from '../driver-error.ts';
import type { EmbeddedContext } from './data-directory.ts';
import { applicationName, type LockOutcome, type Role, takeLocks } from './directory-locks.ts';
import { type ReadyServer, reachServer } from './reach-server.ts';

// The lock of a killed service ends with its connection, which the server may notice a moment later.
const gracePeriodInMilliseconds = 2000;
const closingPatienceInMilliseconds = 120_000;
const pauseInMilliseconds = 50;
const firstPauseInMilliseconds = 250;
const maxPauseInMilliseconds = 10_000;

interface JoinOptions {
  role: Role;
  formerPort?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Another service uses the data directory. */
class DataDirectoryInUseError extends Error {
  readonly processId: number | undefined;

  constructor(directory: string, processId: number | undefined) {
    const holder = processId === undefined ? 'another service' : `another service (process ${processId})`;
    super(
      `The data directory ${directory} is in use by ${holder}. Stop it first, or give this one its own SVC_DATA_DIR.`,
    );
    this.name = 'DataDirectoryInUseError';
    this.processId = processId;
  }
}

/** Connects, starting the server if need be, and takes this process's locks on the data directory. */
export async function joinServer(context: EmbeddedContext, options: JoinOptions): Promise<ReadyServer> {
  const startedAt = performance.now();
  let takenSince: number | undefined;
  while (true) {
    const server = await reachServer(context, { ...options, applicationName: applicationName(options.role) });
    const outcome = await tryToJoin(server, options.role);
    if (outcome.kind === 'joined') return server;
    await server.client.end();
    if (outcome.kind === 'taken') {
      takenSince ??= performance.now();
      if (performance.now() - takenSince > gracePeriodInMilliseconds) {
        throw new DataDirectoryInUseError(context.directory.root, outcome.processId);
      }
    }
    if (performance.now() - startedAt > closingPatienceInMilliseconds) {
      throw new Error(
        `PostgreSQL in ${context.directory.root} is being stopped by another process, which does not finish.`,
      );
    }
    await delay(pauseInMilliseconds, undefined, { signal: options.signal });
  }
}

/**
 * Keeps a service joined: a server that was killed is started again, and the locks are taken again. The connection
 * that holds them shows it: it breaks immediately when the server dies, even one that we did not start.
 */
export function keepJoined(context: EmbeddedContext, joined: ReadyServer) {
  const released = new AbortController();
  const release = once(released.signal, 'abort');
  const watch = async (): Promise<ReadyServer | undefined> => {
    let current = joined;
    while (true) {
      await Promise.race([current.gone, release]);
      if (released.signal.aborted) return current;
      context.report('The connection to PostgreSQL was lost: bringing it back…');
      const back = await rejoin(context, current.address.port, released.signal);
      if (back === undefined) return undefined;
      context.report('PostgreSQL is back.');
      current = back;
    }
  };
  const watching = watch();
  return {
    /** Ends the watch; resolves with the connection that holds the locks, unless it is lost. Repeated calls are harmless. */
    release(): Promise<ReadyServer | undefined> {
      released.abort();
      return watching;
    },
  };
}

async function tryToJoin({ client }: ReadyServer, role: Role): Promise<LockOutcome> {
  try {
    return await takeLocks(client, role);
  } catch (error) {
    if (isConnectionFailure(error)) return { kind: 'closing' };
    await client.end();
    throw error;
  }
}

async function rejoin(
  context: EmbeddedContext,
  formerPort: number,
  signal: AbortSignal,
): Promise<ReadyServer | undefined> {
  for (let pause = 0; ; pause = Math.min(pause * 2 || firstPauseInMilliseconds, maxPauseInMilliseconds)) {
    try {
      await delay(pause, undefined, { signal });
      return await joinServer(context, { role: 'service', formerPort, signal });
    } catch (error) {
      if (signal.aborted) return undefined;
      context.report(`PostgreSQL is not back yet: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
