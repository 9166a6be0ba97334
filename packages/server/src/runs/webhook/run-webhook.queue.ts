import type { JobQueue } from '../../jobs/queue.ts';

/** Ids only: the content is read when the webhook is sent. */
export interface RunNotice {
  workspaceId: string;
  turnId: string;
}

/** Retries for most of a day, so that a receiver that is down overnight still gets the outcome. */
export const runWebhookQueue: JobQueue<RunNotice> = {
  name: 'run-webhooks',
  retryLimit: 20,
  retryDelaySeconds: 2,
  retryDelayMaxSeconds: 7_200,
  expireSeconds: 60,
};
