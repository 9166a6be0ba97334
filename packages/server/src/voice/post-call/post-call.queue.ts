import type { JobQueue } from '../../jobs/queue.ts';

/** Ids only: everything else is read when it runs. */
export interface EndedCall {
  workspaceId: string;
  callId: string;
}

/** An attempt continues where the one before it ended, so retries repeat nothing. */
export const postCallQueue: JobQueue<EndedCall> = {
  name: 'post-call',
  retryLimit: 20,
  retryDelaySeconds: 2,
  retryDelayMaxSeconds: 600,
  expireSeconds: 3_600,
};
