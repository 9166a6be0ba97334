import type { FieldError } from '@svc/contract/errors';
import { type CheckThread, startCheckThread } from './check-thread.ts';
import type { CheckJob } from './check-worker.ts';
import { createFairQueue } from './fair-queue.ts';
import { isSmall } from './is-small.ts';

export interface CheckThreads {
  /** Checks a value beside everything else. Whose it is decides when its turn comes. */
  check(owner: string, job: CheckJob): Promise<FieldError[]>;
  /** Waits for what is under way; those whose turn has not come get no answer. Harmless when repeated. */
  stop(): Promise<void>;
}

interface Waiting {
  job: CheckJob;
  outcome: PromiseWithResolvers<FieldError[]>;
}

const mostThreads = 2;
const limits = { perOwner: 100, total: 1_000 };

const tooMuch: FieldError = {
  path: '',
  message: 'cannot be checked: the schema is too complicated for this value',
};
const noRoom: FieldError = { path: '', message: 'cannot be checked now: too many other checks are waiting' };

/** A few threads, started when they are needed. Of one owner they do one job at a time. */
export function createCheckThreads(program: URL): CheckThreads {
  const queue = createFairQueue<Waiting>(limits);
  const idle: CheckThread[] = [];
  const busy = new Set<string>();
  const running = new Set<Promise<void>>();
  let stopping = false;

  function dispatch(): void {
    while (busy.size < mostThreads) {
      const next = queue.take((owner) => busy.has(owner));
      if (!next) return;
      const run = runOne(next.owner, next.job).finally(() => running.delete(run));
      running.add(run);
    }
  }

  async function runOne(owner: string, { job, outcome }: Waiting): Promise<void> {
    busy.add(owner);
    let thread: CheckThread | undefined;
    try {
      thread = idle.splice(0, 1).find((one) => one.isAlive()) ?? startCheckThread(program);
      outcome.resolve((await thread.check(job)) ?? [tooMuch]);
    } catch (error) {
      outcome.reject(error);
    }
    if (thread?.isAlive() && !stopping) idle.push(thread);
    // One that hangs counts as running until it is gone: there are never more.
    else await thread?.stop();
    busy.delete(owner);
    dispatch();
  }

  return {
    async check(owner, job) {
      if (!isSmall(job.schema) || !isSmall(job.value)) return [tooMuch];
      const outcome = Promise.withResolvers<FieldError[]>();
      const isTaken = !stopping && queue.add(owner, { job, outcome });
      if (!isTaken) outcome.resolve([noRoom]);
      dispatch();
      return outcome.promise;
    },
    async stop() {
      stopping = true;
      for (const { outcome } of queue.drain()) outcome.resolve([noRoom]);
      await Promise.all([...idle.splice(0).map((thread) => thread.stop()), ...running]);
    },
  };
}
