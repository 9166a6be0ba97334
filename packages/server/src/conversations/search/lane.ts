/** Runs at most so many pieces of work at a time, in the order in which they were given. */
export type Lane = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function createLane(width: number): Lane {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= width) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // The place goes to the caller that has waited longest.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
