import { setTimeout as sleep } from 'node:timers/promises';
import { createFairQueue, type FairQueue } from '../../lib/fair-queue.ts';
import { waitAtMost } from './waited-too-long.ts';

/**
 * Runs one task at a time per host, with a pause after it. Workspaces that want the same host share it fairly. Throws
 * WaitedTooLong.
 */
export type HostQueue = <Result>(
  visitor: { host: string; workspaceId: string; signal: AbortSignal },
  work: () => Promise<Result>,
) => Promise<Result>;

interface Line {
  queue: FairQueue;
  /** Those that are waiting, running or pausing. */
  visitors: number;
}

export function createHostQueue(pauseMilliseconds: number, maxWaitMilliseconds: number): HostQueue {
  const lines = new Map<string, Line>();

  function lineOf(host: string): Line {
    const line = lines.get(host) ?? { queue: createFairQueue({ concurrency: 1 }), visitors: 0 };
    lines.set(host, line);
    return line;
  }

  return async ({ host, workspaceId, signal }, work) => {
    const line = lineOf(host);
    const leave = () => {
      line.visitors -= 1;
      if (line.visitors === 0) lines.delete(host);
    };
    line.visitors += 1;
    let makeRoom: () => void;
    try {
      makeRoom = await waitAtMost(maxWaitMilliseconds, signal, (waiting) =>
        line.queue.enter(workspaceId, waiting),
      );
    } catch (error) {
      leave();
      throw error;
    }
    try {
      return await work();
    } finally {
      void standAside();
    }

    async function standAside(): Promise<void> {
      await sleep(pauseMilliseconds, undefined, { ref: false });
      makeRoom();
      leave();
    }
  };
}
