/**
 * A kind of background work. `Data` must be JSON, and is better an id than a document: it may run days later. Its
 * `workspaceId` says whose share of the places a job takes.
 */
export interface JobQueue<Data extends object> {
  name: string;
  /** How often a job that fails is tried again before it becomes a dead letter. */
  retryLimit: number;
  /** Before the first retry; doubled, with some chance in it, for each one after. */
  retryDelaySeconds: number;
  retryDelayMaxSeconds: number;
  /** One attempt may take this long; then its signal aborts and it counts as failed. */
  expireSeconds: number;
  /**
   * How many jobs a node has under way at once, and how many of those may be one workspace's: the rest is there for the
   * others at once, whatever one of them has asked for and however long it takes.
   */
  places?: { places: number; perWorkspace: number };
  /** Of jobs with the same key one waits or runs; another is not taken. Cannot be changed once the queue is there. */
  onePerKey?: boolean;
  /** Only for the compiler: what a job carries. */
  readonly data?: Data;
}

/** Which try of a job it is. */
export interface JobAttempt {
  /** If it fails too, the job becomes a dead letter. */
  isLast: boolean;
}

/** Does one job. It may run more than once: after a failure, and after a crash in the middle. */
export type JobHandler<Data extends object> = (
  data: Data,
  signal: AbortSignal,
  attempt: JobAttempt,
) => Promise<void>;

/** What went wrong, in a sentence that is fit for the workspace whose job it is. Of any other error only the operator sees it. */
export class JobFailure extends Error {
  override readonly name: string = 'JobFailure';
}

/** Trying again would not help: the job becomes a dead letter at once. */
export class PermanentFailure extends JobFailure {
  override readonly name = 'PermanentFailure';
}

/** Why a job's signal aborts that had no more time when the service was stopped: nothing is wrong with the job. */
export class ServiceStopped extends Error {
  override readonly name = 'ServiceStopped';
}
