import type { Log } from '../lib/log.ts';
import { answerInTime } from './answer-in-time.ts';
import type { Counted, Quota, RequestCounter } from './request-counter.ts';

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
  let retryAt: number | undefined;

  function onFailure(error: unknown): void {
    if (retryAt === undefined) {
      log.warn(
        { err: error },
        `Requests cannot be counted in ${store}: each process counts its own until they can.`,
      );
    }
    retryAt = performance.now() + retryMilliseconds;
  }

  async function countHere(quotas: readonly Quota[]): Promise<Counted> {
    return { ...(await local.add(quotas)), isLocal: true };
  }

  /** Counts this request there too, without delaying it, to find out whether the shared counter works again. */
  async function retry(quotas: readonly Quota[]): Promise<void> {
    // One at a time: a late answer to an earlier one would say nothing about now.
    retryAt = Number.POSITIVE_INFINITY;
    try {
      await answerInTime(maxMilliseconds, shared.add(quotas));
      retryAt = undefined;
      log.info(`Requests are counted in ${store} again.`);
    } catch (error) {
      onFailure(error);
    }
  }

  return {
    async add(quotas) {
      if (retryAt !== undefined) {
        if (performance.now() >= retryAt) void retry(quotas);
        return countHere(quotas);
      }
      try {
        return await answerInTime(maxMilliseconds, shared.add(quotas));
      } catch (error) {
        onFailure(error);
        return countHere(quotas);
      }
    },
    async takeBack(counted) {
      if (counted.isLocal) return local.takeBack(counted);
      try {
        await answerInTime(maxMilliseconds, shared.takeBack(counted));
      } catch (error) {
        onFailure(error);
      }
    },
  };
}
