export interface TimeLimit {
  /** Aborts with a TimeoutError when the time is up. */
  signal: AbortSignal;
  clear(): void;
}

export function createTimeLimit(milliseconds: number): TimeLimit {
  const over = new AbortController();
  const end = () => over.abort(new DOMException('The time is up.', 'TimeoutError'));
  const timer = setTimeout(end, milliseconds).unref();
  return { signal: over.signal, clear: () => clearTimeout(timer) };
}
