import { setTimeout as sleep } from 'node:timers/promises';
import { orAbort } from '../../egress/or-abort.ts';

/** Does one thing at a time for each host, with a pause after it. */
export type HostTurns = <Result>(
  host: string,
  signal: AbortSignal,
  work: () => Promise<Result>,
) => Promise<Result>;

export function createHostTurns(pauseMilliseconds: number): HostTurns {
  /** When the last in line will be done. */
  const lines = new Map<string, Promise<void>>();

  return async (host, signal, work) => {
    const before = lines.get(host);
    const { promise: done, resolve: leave } = Promise.withResolvers<void>();
    lines.set(host, done);
    try {
      if (before) await orAbort(before, signal);
      signal.throwIfAborted();
      return await work();
    } finally {
      void standAside();
    }

    /** Who gave up waiting must not let the next one pass those that stood before. */
    async function standAside(): Promise<void> {
      await before;
      await sleep(pauseMilliseconds, undefined, { ref: false });
      if (lines.get(host) === done) lines.delete(host);
      leave();
    }
  };
}
