import { setTimeout as delay } from 'node:timers/promises';
import type { ReadyServer } from './attempt-connection.ts';
import type { EmbeddedContext } from './context.ts';
import { joinServer } from './join-server.ts';

const firstPauseInMilliseconds = 250;
const longestPauseInMilliseconds = 10_000;

interface KeptPlace {
  /** Ends the watch; gives the connection that holds the place, if it is not lost. Repeated calls are harmless. */
  release(): Promise<ReadyServer | undefined>;
}

/**
 * Watches over a service's place: a server that was killed is started again, and the locks are taken again. The
 * connection that holds them is the watch: it breaks at once when the server dies, also one that we did not start.
 */
export function keepJoined(context: EmbeddedContext, joined: ReadyServer): KeptPlace {
  const released = new AbortController();
  const release = new Promise<void>((resolve) =>
    released.signal.addEventListener('abort', () => resolve(), { once: true }),
  );
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
    release: () => {
      released.abort();
      return watching;
    },
  };
}

async function rejoin(
  context: EmbeddedContext,
  formerPort: number,
  signal: AbortSignal,
): Promise<ReadyServer | undefined> {
  for (let pause = 0; ; pause = Math.min(pause * 2 || firstPauseInMilliseconds, longestPauseInMilliseconds)) {
    try {
      await delay(pause, undefined, { signal });
      return await joinServer(context, { role: 'service', formerPort, signal });
    } catch (error) {
      if (signal.aborted) return undefined;
      context.report(`PostgreSQL is not back yet: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
