import type { Job, JobResult } from 'pg-boss';
import type { Log } from '../log.ts';
import { type JobHandler, type JobQueue, PermanentFailure } from './queue.ts';

export interface RunOptions {
  queue: JobQueue<object>;
  handler: JobHandler<object>;
  /** Aborts when the service stops and the grace period is over. */
  stopping: AbortSignal;
  log: Log;
}

/** Runs jobs side by side, each with its own outcome. */
export function runJobs(jobs: Job[], options: RunOptions): Promise<JobResult[]> {
  return Promise.all(jobs.map((job) => runJob(job, options)));
}

async function runJob(job: Job, { queue, handler, stopping, log }: RunOptions): Promise<JobResult> {
  const about = { queue: queue.name, job_id: job.id, attempt: job.retryCount + 1 };
  const expired = AbortSignal.timeout(queue.expireSeconds * 1000);
  const signal = AbortSignal.any([job.signal, stopping, expired]);
  try {
    const attempt = { isLast: job.retryCount >= queue.retryLimit };
    await Promise.race([handler(job.data, signal, attempt), rejectOnAbort(signal)]);
    return { id: job.id, status: 'completed' };
  } catch (error) {
    const isPermanent = error instanceof PermanentFailure;
    log.warn({ err: error, ...about }, isPermanent ? 'A job failed for good.' : 'A job failed.');
    const message = expired.aborted ? `It took longer than ${queue.expireSeconds} seconds.` : textOf(error);
    return { id: job.id, status: isPermanent ? 'deadletter' : 'failed', output: { message } };
  }
}

/** A handler that does not look at its signal must not hold up the others. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal.aborted) reject(signal.reason);
  });
}

/** Without the stack and the cause: it is stored, and shown to the operator. */
function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
