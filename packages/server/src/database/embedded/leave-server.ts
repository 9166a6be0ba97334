import { setTimeout as delay } from 'node:timers/promises';
import { attemptConnection, isConnectionLoss, type ReadyServer } from './attempt-connection.ts';
import type { EmbeddedContext } from './context.ts';
import { leaveLocks } from './directory-locks.ts';
import { findRunningPostmaster } from './is-postmaster.ts';
import { stopServer } from './stop-server.ts';

const patienceInMilliseconds = 60_000;
const pauseInMilliseconds = 50;

/** Gives up this process's place, and stops the server when nobody else has one. */
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
    if (!isConnectionLoss(error)) throw error;
    return await leaveServer(context, undefined);
  } finally {
    await server.client.end();
  }
}

// A connection that was lost in the meantime leaves nothing to give up, but there may be a server again.
async function findServer(context: EmbeddedContext): Promise<ReadyServer | undefined> {
  const deadline = Date.now() + patienceInMilliseconds;
  while (Date.now() < deadline) {
    const attempt = await attemptConnection(context, `svc leaving ${process.pid}`);
    if (attempt.state === 'ready') return attempt;
    if (attempt.state === 'absent' && !(await findRunningPostmaster(context.directory.cluster)))
      return undefined;
    await delay(pauseInMilliseconds);
  }
  throw new Error(`PostgreSQL in ${context.directory.root} does not answer and was not stopped.`);
}
