import type { FieldError } from '@svc/contract/errors';
import { AppError } from '../../../lib/app-error.ts';
import { createFairQueue, TooManyWaiting } from '../../../lib/fair-queue.ts';
import { type CheckThread, startCheckThread } from './check-thread.ts';
import type { CheckJob } from './check-worker.ts';
import { isSmall } from './is-small.ts';

export type CheckThreads = ReturnType<typeof createCheckThreads>;

const maxThreads = 2;
const maxWaiting = { perGroup: 100, total: 1_000 };
const retryAfterSeconds = 5;
const never = new AbortController().signal;

const tooMuch: FieldError = {
  path: '',
  message: 'cannot be checked: the schema is too complicated for this value',
};

/** A few threads, started on demand. They run one check per owner at a time. */
export function createCheckThreads(program: URL) {
  const queue = createFairQueue({ concurrency: maxThreads, perGroup: 1 });
  const idle: CheckThread[] = [];
  const running = new Set<Promise<FieldError[]>>();
  let stopping = false;

  async function runOne(job: CheckJob): Promise<FieldError[]> {
    const thread = idle.splice(0, 1).find((one) => one.isAlive()) ?? startCheckThread(program);
    try {
      return (await thread.check(job)) ?? [tooMuch];
    } finally {
      if (thread.isAlive() && !stopping) idle.push(thread);
      // A thread that hangs counts as running until it has ended, so there are never more.
      else await thread.stop();
    }
  }

  async function runUnlessStopping(job: CheckJob): Promise<FieldError[]> {
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
    /**
     * Checks a value in a thread, which owners share fairly. Waits for a thread until the signal aborts; without a signal it
     * throws RATE_LIMITED when too many checks are waiting.
     */
    async check(owner: string, job: CheckJob, signal?: AbortSignal): Promise<FieldError[]> {
      if (!isSmall(job.schema) || !isSmall(job.value)) return [tooMuch];
      try {
        return await queue.run(
          owner,
          signal ?? never,
          () => runUnlessStopping(job),
          signal ? undefined : maxWaiting,
        );
      } catch (error) {
        if (!(error instanceof TooManyWaiting)) throw error;
        throw new AppError('RATE_LIMITED', {
          message: 'Too many values of the workspace are waiting to be checked. Try again in a few seconds.',
          retryAfterSeconds,
          cause: error,
        });
      }
    },
    /** Waits for running checks; waiting ones get NOT_READY. Repeated calls are harmless. */
    async stop(): Promise<void> {
      stopping = true;
      await Promise.allSettled([...idle.splice(0).map((thread) => thread.stop()), ...running]);
    },
  };
}
