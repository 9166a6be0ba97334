import { setTimeout as pause } from 'node:timers/promises';

const lookEveryMs = 5;

/**
 * The longest time in milliseconds that the work blocked the event loop, measured as the processor time of this thread
 * between two samples. Time in which the machine ran something else does not count.
 */
export async function holdingOf<Result>(
  work: () => Promise<Result>,
): Promise<{ heldMs: number; result: Result }> {
  let heldMs = 0;
  let before = threadMilliseconds();
  const timer = setInterval(() => {
    const now = threadMilliseconds();
    heldMs = Math.max(heldMs, now - before);
    before = now;
  }, lookEveryMs);
  try {
    await pause(2 * lookEveryMs);
    heldMs = 0;
    const result = await work();
    await pause(2 * lookEveryMs);
    return { heldMs, result };
  } finally {
    clearInterval(timer);
  }
}

/**
 * The same for work that can be repeated: the least of up to three times, until it is below `enough`. Work that holds the event
 * loop does so each time; a collection of garbage or a machine that slows down does not.
 */
export async function leastHoldingOf<Result>(
  enough: number,
  work: () => Promise<Result>,
): Promise<{ heldMs: number; result: Result }> {
  let least = await holdingOf(work);
  for (let attempt = 1; attempt < 3 && least.heldMs >= enough; attempt += 1) {
    const again = await holdingOf(work);
    if (again.heldMs < least.heldMs) least = again;
  }
  return least;
}

/** The processor time of this thread so far, in milliseconds. Unlike a clock, it does not count what the machine does besides. */
export function threadMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
