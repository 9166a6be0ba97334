import type { JobQueue } from '../../jobs/queue.ts';

/** Ids only, so that jobs hold no copy of text that may be truncated. */
export interface Validation {
  workspaceId: string;
  recordId: string;
  /** The turn was traced, so its validation is, too. */
  isTraced: boolean;
}

/** No user is waiting, so retries continue for more than an hour. */
export const validationQueue: JobQueue<Validation> = {
  name: 'response-validation',
  retryLimit: 6,
  retryDelaySeconds: 5,
  retryDelayMaxSeconds: 1_800,
  expireSeconds: 180,
};
