import type { FieldError } from '@svc/contract/errors';
import { AppError } from '../../../app-error.ts';
import { createFairTurns, TooManyWaiting } from '../../../fair-turns.ts';
import { type CheckThread, startCheckThread } from './check-thread.ts';
import type { CheckJob } from './check-worker.ts';
import { isSmall } from './is-small.ts';

export interface CheckThreads {
  /**
   * Checks a value beside everything else. Whose it is decides when its turn comes. Waits for that until the signal ends
   * it; without one throws RATE_LIMITED when too many wait.
   */
  check(owner: string, job: CheckJob, signal?: AbortSignal): Promise<FieldError[]>;
  /** Waits for what is under way; those whose turn has not come get NOT_READY. Harmless when repeated. */
  stop(): Promise<void>;
}

const mostThreads = 2;
const mostWaiting = { perGroup: 100, inAll: 1_000 };
const retryAfterSeconds = 5;
const never = new AbortController().signal;

const tooMuch: FieldError = {
  path: '',
  message: 'cannot be checked: the schema is too complicated for this value',
};

/** A few threads, started when they are needed. Of one owner they do one job at a time. */
export function createCheckThreads(program: URL): CheckThreads {
  const turns = createFairTurns({ atOnce: mostThreads, perGroup: 1 });
  const idle: CheckThread[] = [];
  const running = new Set<Promise<FieldError[]>>();
  let stopping = false;

  async function runOne(job: CheckJob): Promise<FieldError[]> {
    const thread = idle.splice(0, 1).find((one) => one.isAlive()) ?? startCheckThread(program);
    try {
      return (await thread.check(job)) ?? [tooMuch];
    } finally {
      if (thread.isAlive() && !stopping) idle.push(thread);
      // One that hangs counts as running until it is gone: there are never more.
      else await thread.stop();
    }
  }

  async function takeTurn(job: CheckJob): Promise<FieldError[]> {
    if (stopping) throw new AppError('NOT_READY', { message: 'The service is stopping.' });
    const run = runOne(job);
    running.add(run);
    try {
      return await run;
    } finally {
      running.delete(run);
    }
  }

  return {
    async check(owner, job, signal) {
      if (!isSmall(job.schema) || !isSmall(job.value)) return [tooMuch];
      try {
        return await turns.run(owner, signal ?? never, () => takeTurn(job), signal ? undefined : mostWaiting);
      } catch (error) {
        if (!(error instanceof TooManyWaiting)) throw error;
        throw new AppError('RATE_LIMITED', {
          message: 'Too many values of the workspace are waiting to be checked. Try again in a few seconds.',
          retryAfterSeconds,
          cause: error,
        });
      }
    },
    async stop() {
      stopping = true;
      await Promise.allSettled([...idle.splice(0).map((thread) => thread.stop()), ...running]);
    },
  };
}
