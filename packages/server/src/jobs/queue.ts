/**
 * A kind of background work. `Data` must be JSON, and should be an id rather than a document: the job may run days later.
 * Its `workspaceId` decides whose share of the concurrency a job uses.
 */
export interface JobQueue<Data extends object> {
  name: string;
  /** How often a failed job is retried before it becomes a dead letter. */
  retryLimit: number;
  /** Before the first retry; doubled, with jitter, for each one after it. */
  retryDelaySeconds: number;
  retryDelayMaxSeconds: number;
  /** The time limit of one attempt; then its signal aborts and it counts as failed. */
  expireSeconds: number;
  /**
   * How many jobs a node runs concurrently, and how many of those may belong to one workspace. The rest stays free for
   * other workspaces, however much work one of them has.
   */
  concurrency?: { total: number; perWorkspace: number };
  /** At most one job per key waits or runs; others are not enqueued. Cannot be changed once the queue exists. */
  onePerKey?: boolean;
  /** Only for the compiler: the data of a job. */
  readonly data?: Data;
}

/** One attempt at a job. */
export interface JobAttempt {
  /** Whether the job becomes a dead letter if this attempt fails. */
  isLast: boolean;
}

/** Does one job. It may run more than once: after a failure, or after a crash. */
export type JobHandler<Data extends object> = (
  data: Data,
  signal: AbortSignal,
  attempt: JobAttempt,
) => Promise<void>;

/** A failure whose message may be shown to the workspace. The messages of other errors are for the operator only. */
export class JobFailure extends Error {
  override readonly name: string = 'JobFailure';
}

/** A retry would not help: the job becomes a dead letter immediately. */
export class PermanentFailure extends JobFailure {
  override readonly name = 'PermanentFailure';
}

/** The abort reason of a job that was still running when the service stopped; nothing is wrong with the job. */
export class ServiceStopped extends Error {
  override readonly name = 'ServiceStopped';
}
