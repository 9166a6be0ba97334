export interface FairTurns {
  /**
   * Runs it as soon as there is a place. Of those who wait the next is one whose group has the fewest running; of several
   * such groups they take turns, and within a group whoever asked first goes first. The signal only ends the waiting.
   */
  run<Result>(
    group: string,
    signal: AbortSignal,
    work: () => Promise<Result>,
    mostWaiting?: MostWaiting,
  ): Promise<Result>;
  /** The same for what ends elsewhere: resolves with a function that gives back the place, harmless when repeated. */
  enter(group: string, signal: AbortSignal, mostWaiting?: MostWaiting): Promise<() => void>;
}

/** From how many on somebody does not wait, but is refused with TooManyWaiting. Who gives none waits in any case. */
export interface MostWaiting {
  perGroup: number;
  /** For groups of which somebody waits already: one's first never depends on what others have asked for. */
  inAll: number;
}

export class TooManyWaiting extends Error {}

export interface FairTurnsOptions {
  atOnce: number;
  /** What one group may have at most: the rest is there for others at once, however long its own work takes. */
  perGroup?: number;
}

/** Lets few things happen at once, and nobody wait for all that somebody else has asked for. */
export function createFairTurns({ atOnce, perGroup = atOnce }: FairTurnsOptions): FairTurns {
  const running = new Map<string, number>();
  /** The group that was served last stands last. */
  const waiting = new Map<string, Set<() => void>>();
  let taken = 0;

  const runningOf = (group: string) => running.get(group) ?? 0;
  const hasPlace = (group: string) => taken < atOnce && runningOf(group) < perGroup;

  function take(group: string): void {
    taken += 1;
    running.set(group, runningOf(group) + 1);
  }

  function giveBack(group: string): void {
    taken -= 1;
    if (runningOf(group) > 1) running.set(group, runningOf(group) - 1);
    else running.delete(group);
    letNextIn();
  }

  function letNextIn(): void {
    const groups = [...waiting.keys()].filter(hasPlace);
    if (groups.length === 0) return;
    const group = groups.reduce((best, other) => (runningOf(other) < runningOf(best) ? other : best));
    const line = waiting.get(group) ?? new Set();
    const [next] = line;
    waiting.delete(group);
    if (!next) return;
    line.delete(next);
    if (line.size > 0) waiting.set(group, line);
    take(group);
    next();
  }

  function requireRoom(group: string, { perGroup: mostOfGroup, inAll }: MostWaiting): void {
    const ofGroup = waiting.get(group)?.size ?? 0;
    if (ofGroup === 0 && mostOfGroup > 0) return;
    const all = [...waiting.values()].reduce((sum, line) => sum + line.size, 0);
    if (ofGroup >= mostOfGroup || all >= inAll) throw new TooManyWaiting('Too many are waiting.');
  }

  function wait(group: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const line = waiting.get(group) ?? new Set();
      waiting.set(group, line);
      const go = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        line.delete(go);
        if (line.size === 0 && waiting.get(group) === line) waiting.delete(group);
        reject(signal.reason as Error);
      };
      line.add(go);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  async function enter(group: string, signal: AbortSignal, mostWaiting?: MostWaiting): Promise<() => void> {
    signal.throwIfAborted();
    if (hasPlace(group)) take(group);
    else {
      if (mostWaiting) requireRoom(group, mostWaiting);
      await wait(group, signal);
    }
    let isInside = true;
    return () => {
      if (isInside) giveBack(group);
      isInside = false;
    };
  }

  return {
    enter,
    async run(group, signal, work, mostWaiting) {
      const leave = await enter(group, signal, mostWaiting);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
