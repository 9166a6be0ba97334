/** A page's turn did not come in time: nothing is wrong with it, and another job can use its place. */
export class WaitedTooLong extends Error {
  override readonly name = 'WaitedTooLong';
}

/** Waits in a queue, with a time limit. `enter` must obey the signal only while it waits. */
export async function waitAtMost<Result>(
  milliseconds: number,
  signal: AbortSignal,
  enter: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const late = new AbortController();
  const giveUp = () => late.abort(new WaitedTooLong('Its turn did not come in time.'));
  const timer = setTimeout(giveUp, milliseconds).unref();
  try {
    return await enter(AbortSignal.any([signal, late.signal]));
  } finally {
    clearTimeout(timer);
  }
}
