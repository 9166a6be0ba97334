import type { Job } from 'pg-boss';
import type { Log } from '../log.ts';
import { type JobHandler, type JobQueue, PermanentFailure } from './queue.ts';

export interface RunOptions {
  queue: JobQueue<object>;
  handler: JobHandler<object>;
  /** Aborts when the service stops and the grace period is over. */
  stopping: AbortSignal;
  log: Log;
}

export type JobOutcome = { status: 'completed' } | { status: 'failed' | 'hopeless'; message: string };

const tidyUpMilliseconds = 500;

/** One attempt. `lost` aborts when the job is no longer ours. */
export async function runJob(
  job: Job,
  lost: AbortSignal,
  { queue, handler, stopping, log }: RunOptions,
): Promise<JobOutcome> {
  const about = { queue: queue.name, job_id: job.id, attempt: job.retryCount + 1 };
  const expired = AbortSignal.timeout(queue.expireSeconds * 1000);
  const signal = AbortSignal.any([lost, stopping, expired]);
  try {
    const attempt = { isLast: job.retryCount >= queue.retryLimit };
    await Promise.race([handler(job.data, signal, attempt), rejectAfterAbort(signal)]);
    return { status: 'completed' };
  } catch (error) {
    const isPermanent = error instanceof PermanentFailure;
    log.warn({ err: error, ...about }, isPermanent ? 'A job failed for good.' : 'A job failed.');
    const message = expired.aborted ? `It took longer than ${queue.expireSeconds} seconds.` : textOf(error);
    return { status: isPermanent ? 'hopeless' : 'failed', message };
  }
}

/** A handler that looks at its signal has a moment to tidy up; one that does not must not hold up the others. */
function rejectAfterAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const giveUp = () => setTimeout(() => reject(signal.reason), tidyUpMilliseconds);
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
  });
}

/** Without the stack and the cause: it is stored, and shown to the operator. */
function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
