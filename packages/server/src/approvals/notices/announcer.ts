import type { Services } from '../../services.ts';
import type { ApprovalAnnouncer } from '../approvals.service.ts';
import { type NoticeChannel, noticeQueue } from './approval-notices.queue.ts';

/** One job for each approval and channel: a mail that fails must not repeat a webhook that did not. */
export function createApprovalAnnouncer({ bots, jobs }: Pick<Services, 'bots' | 'jobs'>): ApprovalAnnouncer {
  return {
    async announce(tx, { workspaceId, botId, options }, approvalIds) {
      // A draft is tried out by somebody who sees its calls.
      if (options?.bot_version !== undefined) return;
      const notice = (await bots.findSettings(tx, workspaceId, botId))?.approval_notice;
      if (!notice) return;
      const channels: NoticeChannel[] = [];
      if (notice.webhook_url) channels.push('webhook');
      if (notice.email) channels.push('email');
      for (const approvalId of approvalIds) {
        for (const channel of channels) {
          await jobs.enqueue(tx, noticeQueue, { workspaceId, approvalId, channel });
        }
      }
    },
  };
}
