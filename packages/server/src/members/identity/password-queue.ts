import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../lib/app-error.ts';
import { createFairQueue, TooManyWaiting } from '../../lib/fair-queue.ts';
import type { SignInRate } from '../../limits/request-limits.ts';

/** Passwords that are checked at the same time: each takes a core and 32 MB for about a tenth of a second. */
const concurrency = 2;
const limits = { perGroup: 20, total: 1_000 };
const maxWaitMilliseconds = 15_000;
/** Between two attempts from a network that has made very many. */
const paceMilliseconds = 500;
const retryAfterSeconds = 5;

/**
 * Bounds the work on passwords. One attempt of a network is made at a time, and networks alternate, so a flood from one of them
 * does not slow down the others. Browsers that are known have room of their own.
 */
export function createPasswordQueue() {
  const known = createFairQueue({ concurrency });
  const strangers = createFairQueue({ concurrency });
  const networks = createFairQueue({ concurrency: Number.POSITIVE_INFINITY, perGroup: 1 });

  return async <Result>(
    { group, isKnown, isPaced }: Pick<SignInRate, 'group' | 'isKnown' | 'isPaced'>,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    const signal = AbortSignal.timeout(maxWaitMilliseconds);
    try {
      if (isKnown) return await known.run(group, signal, work, limits);
      const attempt = async () => {
        if (isPaced) await sleep(paceMilliseconds);
        return strangers.run(group, signal, work);
      };
      return await networks.run(group, signal, attempt, limits);
    } catch (error) {
      if (!(error instanceof TooManyWaiting) && error !== signal.reason) throw error;
      throw new AppError('RATE_LIMITED', {
        message: 'Too many people are signing in at the moment: try again in a few seconds.',
        retryAfterSeconds,
      });
    }
  };
}
