import type { Job } from 'pg-boss';
import { AppError } from '../app-error.ts';
import type { Log } from '../log.ts';
import { JobFailure, type JobHandler, type JobQueue, PermanentFailure } from './queue.ts';

export interface RunOptions {
  queue: JobQueue<object>;
  handler: JobHandler<object>;
  /** Aborts when the service stops and the grace period is over. */
  stopping: AbortSignal;
  log: Log;
}

export type JobOutcome =
  | { status: 'completed' }
  | {
      status: 'failed' | 'hopeless';
      /** For the operator. */
      message: string;
      /** The same where it is fit for the workspace. */
      reason: string | undefined;
    };

const tidyUpMilliseconds = 500;

/** One attempt. `lost` aborts when the job is no longer ours. */
export async function runJob(
  job: Job,
  lost: AbortSignal,
  { queue, handler, stopping, log }: RunOptions,
): Promise<JobOutcome> {
  const about = { queue: queue.name, job_id: job.id, attempt: job.retryCount + 1 };
  const ending = new AbortController();
  const { signal } = ending;
  const overdue = new DOMException(`It took longer than ${queue.expireSeconds} seconds.`, 'TimeoutError');
  const timer = setTimeout(() => ending.abort(overdue), queue.expireSeconds * 1000).unref();
  const unfollow = [lost, stopping].map((source) => follow(source, ending));
  try {
    const attempt = { isLast: job.retryCount >= queue.retryLimit };
    await Promise.race([handler(job.data, signal, attempt), rejectAfterAbort(signal)]);
    return { status: 'completed' };
  } catch (error) {
    const isPermanent = error instanceof PermanentFailure;
    log.warn({ err: error, ...about }, isPermanent ? 'A job failed for good.' : 'A job failed.');
    const isOverdue = signal.reason === overdue;
    const message = isOverdue ? overdue.message : textOf(error);
    const isFit = isOverdue || error instanceof JobFailure || error instanceof AppError;
    const reason = isFit ? message : undefined;
    return { status: isPermanent ? 'hopeless' : 'failed', message, reason };
  } finally {
    clearTimeout(timer);
    for (const end of unfollow) end();
  }
}

/**
 * Passes an abort on until it is told to end. AbortSignal.any would keep what listens to it as long as the service runs, for
 * every job that was ever done.
 */
function follow(source: AbortSignal, ending: AbortController): () => void {
  const pass = () => ending.abort(source.reason);
  if (source.aborted) pass();
  source.addEventListener('abort', pass, { once: true });
  return () => source.removeEventListener('abort', pass);
}

/** A handler that looks at its signal has a moment to tidy up; one that does not must not hold up the others. */
function rejectAfterAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const giveUp = () => setTimeout(() => reject(signal.reason as Error), tidyUpMilliseconds);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
}

/** Without the stack and the cause: it is stored, and shown to the operator. */
function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
