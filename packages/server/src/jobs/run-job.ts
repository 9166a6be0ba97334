import type { Job } from 'pg-boss';
import { AppError } from '../lib/app-error.ts';
import type { Log } from '../lib/log.ts';
import { JobFailure, type JobHandler, type JobQueue, PermanentFailure, ServiceStopped } from './queue.ts';

export interface RunOptions {
  queue: JobQueue<object>;
  handler: JobHandler<object>;
  /** Aborts when the service stops and its grace period is over. */
  stopping: AbortSignal;
  log: Log;
}

export type JobOutcome =
  | { status: 'completed' }
  | {
      /** `interrupted`: the service stops; nothing is wrong with the job. */
      status: 'failed' | 'failed permanently' | 'interrupted';
      /** For the operator. */
      message: string;
      /** The same, if it may be shown to the workspace. */
      reason: string | undefined;
    };

const cleanUpMilliseconds = 500;

/** Runs one attempt. `lost` aborts when another node has taken the job over. */
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
  const stopForwarding = [lost, stopping].map((source) => forward(source, ending));
  try {
    const attempt = { isLast: job.retryCount >= queue.retryLimit };
    await Promise.race([handler(job.data, signal, attempt), rejectAfterAbort(signal)]);
    return { status: 'completed' };
  } catch (error) {
    if (signal.reason instanceof ServiceStopped) {
      log.info(about, 'A job is left to other nodes or to the next start.');
      return { status: 'interrupted', message: signal.reason.message, reason: undefined };
    }
    const isPermanent = error instanceof PermanentFailure;
    log.warn({ err: error, ...about }, isPermanent ? 'A job failed permanently.' : 'A job failed.');
    const isOverdue = signal.reason === overdue;
    const message = isOverdue ? overdue.message : textOf(error);
    const isFit = isOverdue || error instanceof JobFailure || error instanceof AppError;
    const reason = isFit ? message : undefined;
    return { status: isPermanent ? 'failed permanently' : 'failed', message, reason };
  } finally {
    clearTimeout(timer);
    for (const stop of stopForwarding) stop();
  }
}

/**
 * Forwards an abort until the returned function is called. AbortSignal.any would keep the listeners of every job that ever
 * ran for as long as the service runs.
 */
function forward(source: AbortSignal, ending: AbortController): () => void {
  const pass = () => ending.abort(source.reason);
  if (source.aborted) pass();
  source.addEventListener('abort', pass, { once: true });
  return () => source.removeEventListener('abort', pass);
}

/** A handler that watches its signal has a moment to clean up; one that does not must not delay other jobs. */
function rejectAfterAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const giveUp = () => setTimeout(() => reject(signal.reason as Error), cleanUpMilliseconds);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
}

/** Without stack and cause, because it is stored and shown to the operator. */
function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
