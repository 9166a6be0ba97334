export interface TimeLimit {
  /** Aborts with a TimeoutError when the time is over. */
  signal: AbortSignal;
  /** Time does not count until `resume`, which starts it anew. */
  pause(): void;
  resume(): void;
}

export function createTimeLimit(milliseconds: number): TimeLimit {
  const over = new AbortController();
  const start = () =>
    setTimeout(() => over.abort(new DOMException('The time is over.', 'TimeoutError')), milliseconds).unref();
  let timer = start();
  return {
    signal: over.signal,
    pause: () => clearTimeout(timer),
    resume() {
      clearTimeout(timer);
      timer = start();
    },
  };
}
