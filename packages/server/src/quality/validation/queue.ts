import type { JobQueue } from '../../jobs/queue.ts';

/** Ids only: what is compared is read when it is, so that truncated text is nowhere else. */
export interface Validation {
  workspaceId: string;
  recordId: string;
  /** The turn was traced: its validation is, too. */
  isTraced: boolean;
}

/** Nobody waits: a provider that is away for an hour is waited for. */
export const validationQueue: JobQueue<Validation> = {
  name: 'response-validation',
  retryLimit: 6,
  retryDelaySeconds: 5,
  retryDelayMaxSeconds: 1_800,
  expireSeconds: 180,
};
