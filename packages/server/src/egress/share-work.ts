import { orAbort } from './or-abort.ts';

interface Shared<Result> {
  result: Promise<Result>;
  waiting: number;
  abandoned: AbortController;
}

/**
 * Callers that ask for a key whose work is in progress share its result. Each caller's signal only ends its own wait; the
 * work's signal aborts when no caller is waiting anymore.
 */
export function shareWork<Result>(work: (key: string, signal: AbortSignal) => Promise<Result>) {
  const underWay = new Map<string, Shared<Result>>();

  function start(key: string): Shared<Result> {
    const abandoned = new AbortController();
    const shared = { result: work(key, abandoned.signal), waiting: 0, abandoned };
    underWay.set(key, shared);
    const forget = () => {
      if (underWay.get(key) === shared) underWay.delete(key);
    };
    shared.result.then(forget, forget);
    abandoned.signal.addEventListener('abort', forget, { once: true });
    return shared;
  }

  return async (key: string, signal: AbortSignal): Promise<Result> => {
    signal.throwIfAborted();
    const shared = underWay.get(key) ?? start(key);
    shared.waiting += 1;
    try {
      return await orAbort(shared.result, signal);
    } finally {
      shared.waiting -= 1;
      if (shared.waiting === 0) shared.abandoned.abort();
    }
  };
}
