import type { Log } from '../log.ts';
import type { Counted, RequestCounter } from './request-counter.ts';

export interface InsuredCounterOptions {
  /** Counts across all processes, and may fail or take long. */
  shared: RequestCounter;
  /** Counts in this process meanwhile. */
  local: RequestCounter;
  /** The shared counter's name, for the log. */
  store: string;
  maxMilliseconds: number;
  log: Log;
}

const retryMilliseconds = 1_000;

/** Counts in this process while the shared counter fails or is slow. Never fails, and waits only for `maxMilliseconds`. */
export function createInsuredCounter(options: InsuredCounterOptions): RequestCounter {
  const { shared, local, store, maxMilliseconds, log } = options;
  const countedHere = new WeakSet<Counted>();
  let retryAt: number | undefined;

  function onFailure(error: unknown): void {
    if (retryAt === undefined) {
      log.warn(
        { err: error },
        `Requests are counted by each process on its own, because ${store} does not answer in time.`,
      );
    }
    retryAt = performance.now() + retryMilliseconds;
  }

  async function countHere(quotas: Parameters<RequestCounter['add']>[0]): Promise<Counted> {
    const counted = await local.add(quotas);
    countedHere.add(counted);
    return counted;
  }

  /** Counts this request there too, without delaying it, to find out whether the shared counter works again. */
  async function retry(quotas: Parameters<RequestCounter['add']>[0]): Promise<void> {
    retryAt = performance.now() + retryMilliseconds;
    try {
      await inTime(shared.add(quotas));
      retryAt = undefined;
      log.info(`Requests are counted in ${store} again.`);
    } catch (error) {
      onFailure(error);
    }
  }

  function inTime<Result>(promise: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const late = new Error(`${store} has not answered within ${maxMilliseconds} ms.`);
        // If this process was merely busy, the answer has arrived and is read before this runs.
        setImmediate(reject, late);
      }, maxMilliseconds);
      void promise.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  return {
    async add(quotas) {
      if (retryAt !== undefined) {
        if (performance.now() >= retryAt) void retry(quotas);
        return countHere(quotas);
      }
      try {
        return await inTime(shared.add(quotas));
      } catch (error) {
        onFailure(error);
        return countHere(quotas);
      }
    },
    async takeBack(counted) {
      if (countedHere.has(counted)) return local.takeBack(counted);
      try {
        await inTime(shared.takeBack(counted));
      } catch (error) {
        onFailure(error);
      }
    },
  };
}
