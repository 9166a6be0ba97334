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

/** The processor time of this thread so far, in milliseconds. Unlike a clock, it does not count what the machine does besides. */
export function threadMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
