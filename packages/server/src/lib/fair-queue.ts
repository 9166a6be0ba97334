/** Beyond these limits callers are refused with TooManyWaiting; callers that pass none always wait. */
export interface WaitingLimits {
  perGroup: number;
  /** Applies only to groups that are already waiting, so that a group's first never depends on other groups. */
  total: number;
}

export class TooManyWaiting extends Error {}

export interface FairQueueOptions {
  concurrency: number;
  /** The limit of one group; the rest stays free for other groups, however long the work takes. */
  perGroup?: number;
}

export type FairQueue = ReturnType<typeof createFairQueue>;

/** Limits concurrency, and shares it fairly between groups. */
export function createFairQueue({ concurrency, perGroup = concurrency }: FairQueueOptions) {
  const running = new Map<string, number>();
  /** The group that was served last comes last. */
  const waiting = new Map<string, Set<() => void>>();
  let runningTotal = 0;

  const runningOf = (group: string) => running.get(group) ?? 0;
  const hasRoom = (group: string) => runningTotal < concurrency && runningOf(group) < perGroup;

  function take(group: string): void {
    runningTotal += 1;
    running.set(group, runningOf(group) + 1);
  }

  function release(group: string): void {
    runningTotal -= 1;
    if (runningOf(group) > 1) running.set(group, runningOf(group) - 1);
    else running.delete(group);
    startNext();
  }

  function startNext(): void {
    const groups = [...waiting.keys()].filter(hasRoom);
    if (groups.length === 0) return;
    const group = groups.reduce((best, other) => (runningOf(other) < runningOf(best) ? other : best));
    const queue = waiting.get(group) ?? new Set();
    const [next] = queue;
    waiting.delete(group);
    if (!next) return;
    queue.delete(next);
    if (queue.size > 0) waiting.set(group, queue);
    take(group);
    next();
  }

  function requireRoom(group: string, { perGroup: maxOfGroup, total }: WaitingLimits): void {
    const ofGroup = waiting.get(group)?.size ?? 0;
    if (ofGroup === 0 && maxOfGroup > 0) return;
    const all = [...waiting.values()].reduce((sum, queue) => sum + queue.size, 0);
    if (ofGroup >= maxOfGroup || all >= total) throw new TooManyWaiting('Too many are waiting.');
  }

  function wait(group: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const queue = waiting.get(group) ?? new Set();
      waiting.set(group, queue);
      const go = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        queue.delete(go);
        if (queue.size === 0 && waiting.get(group) === queue) waiting.delete(group);
        reject(signal.reason as Error);
      };
      queue.add(go);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** The same as `run` for work that ends elsewhere: resolves with a function that ends it. Repeated calls of it are harmless. */
  async function enter(group: string, signal: AbortSignal, limits?: WaitingLimits): Promise<() => void> {
    signal.throwIfAborted();
    if (hasRoom(group)) take(group);
    else {
      if (limits) requireRoom(group, limits);
      await wait(group, signal);
    }
    let isInside = true;
    return () => {
      if (isInside) release(group);
      isInside = false;
    };
  }

  return {
    enter,
    /**
     * Runs `work` as soon as there is room. The next to run comes from the group with the fewest running; several such groups
     * alternate, and within a group the order is first in, first out. The signal only ends the waiting.
     */
    async run<Result>(
      group: string,
      signal: AbortSignal,
      work: () => Promise<Result>,
      limits?: WaitingLimits,
    ): Promise<Result> {
      const leave = await enter(group, signal, limits);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
