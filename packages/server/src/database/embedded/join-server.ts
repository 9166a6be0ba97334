import { setTimeout as delay } from 'node:timers/promises';
import { isConnectionLoss, type ReadyServer } from './attempt-connection.ts';
import type { EmbeddedContext } from './context.ts';
import { DataDirectoryInUseError } from './data-directory-in-use-error.ts';
import { applicationName, type LockOutcome, takeLocks } from './directory-locks.ts';
import { reachServer } from './reach-server.ts';
import type { Role } from './role.ts';

// The lock of a killed service goes with its connection, which the server may notice a moment later.
const gracePeriodInMilliseconds = 2000;
const closingPatienceInMilliseconds = 120_000;
const pauseInMilliseconds = 50;

interface JoinOptions {
  role: Role;
  formerPort?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Connects, starting the server if need be, and takes this process's place in the data directory. */
export async function joinServer(context: EmbeddedContext, options: JoinOptions): Promise<ReadyServer> {
  const begun = Date.now();
  let takenSince: number | undefined;
  while (true) {
    const server = await reachServer(context, { ...options, applicationName: applicationName(options.role) });
    const outcome = await tryToJoin(server, options.role);
    if (outcome.kind === 'joined') return server;
    await server.client.end();
    if (outcome.kind === 'taken') {
      takenSince ??= Date.now();
      if (Date.now() - takenSince > gracePeriodInMilliseconds) {
        throw new DataDirectoryInUseError(context.directory.root, outcome.processId);
      }
    }
    if (Date.now() - begun > closingPatienceInMilliseconds) {
      throw new Error(
        `PostgreSQL in ${context.directory.root} is being stopped by another process, without end.`,
      );
    }
    await delay(pauseInMilliseconds, undefined, { signal: options.signal });
  }
}

async function tryToJoin({ client }: ReadyServer, role: Role): Promise<LockOutcome> {
  try {
    return await takeLocks(client, role);
  } catch (error) {
    if (isConnectionLoss(error)) return { kind: 'closing' };
    await client.end();
    throw error;
  }
}
