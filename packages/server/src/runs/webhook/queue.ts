import type { JobQueue } from '../../jobs/queue.ts';

/** Ids only: what is told is read when it is sent. */
export interface RunNotice {
  workspaceId: string;
  turnId: string;
}

/** Most of a day of patience: a receiver that is down over night still learns what came of a run. */
export const runWebhookQueue: JobQueue<RunNotice> = {
  name: 'run-webhooks',
  retryLimit: 20,
  retryDelaySeconds: 2,
  retryDelayMaxSeconds: 7_200,
  expireSeconds: 60,
};
