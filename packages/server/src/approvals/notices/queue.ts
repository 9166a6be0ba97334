import type { JobQueue } from '../../jobs/queue.ts';

export type NoticeChannel = 'webhook' | 'email';

/** Ids only: where it goes and what it says is read when it is sent. */
export interface Notice {
  workspaceId: string;
  approvalId: string;
  channel: NoticeChannel;
}

/** About a quarter of an hour of patience: an approval is of use while somebody may still answer it. */
export const noticeQueue: JobQueue<Notice> = {
  name: 'approval-notices',
  retryLimit: 8,
  retryDelaySeconds: 2,
  retryDelayMaxSeconds: 300,
  expireSeconds: 60,
};
