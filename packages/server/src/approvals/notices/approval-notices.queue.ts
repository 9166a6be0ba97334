import type { JobQueue } from '../../jobs/queue.ts';

export type NoticeChannel = 'webhook' | 'email';

/** Ids only: address and text are read when it is sent. */
export interface Notice {
  workspaceId: string;
  approvalId: string;
  channel: NoticeChannel;
}

/** Retried for about 15 minutes: a later notice would hardly find the approval still pending. */
export const noticeQueue: JobQueue<Notice> = {
  name: 'approval-notices',
  retryLimit: 8,
  retryDelaySeconds: 2,
  retryDelayMaxSeconds: 300,
  expireSeconds: 60,
};
