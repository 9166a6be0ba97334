import type { BotService } from '../../bots/bots.service.ts';
import { type JobHandler, PermanentFailure } from '../../jobs/queue.ts';
import type { Clock } from '../../lib/clock.ts';
import type { RunService } from '../../runs/runs.service.ts';
import type { SendWebhook } from '../../webhooks/send-webhook.ts';
import type { ApprovalRow } from '../approvals.store.ts';
import { toWire } from '../approvals.wire.ts';
import type { ApprovalLinks } from '../page/approval-links.ts';
import type { Notice } from './approval-notices.queue.ts';
import { noticeMail, type SendMail } from './mail.ts';

export interface NoticeSenderDependencies {
  approvals: { findLinked(approvalId: string): Promise<ApprovalRow | undefined> };
  bots: Pick<BotService, 'getRow'>;
  runs: Pick<RunService, 'find'>;
  links: Pick<ApprovalLinks, 'urlFor'>;
  sendWebhook: SendWebhook;
  /** Undefined without a mail server. */
  sendMail: SendMail | undefined;
  clock: Clock;
}

/** Sends one notice to the address that the bot has now, unless the approval has been answered. */
export function createNoticeSender(dependencies: NoticeSenderDependencies): JobHandler<Notice> {
  const { approvals, bots, runs, links, sendWebhook, sendMail, clock } = dependencies;
  return async ({ workspaceId, approvalId, channel }, signal) => {
    const approval = await approvals.findLinked(approvalId);
    if (approval?.status !== 'pending' || approval.expiresAt <= clock.now()) return;
    const bot = await bots.getRow(workspaceId, approval.botId);
    const { webhook_url: url, email } = bot.settings.approval_notice ?? {};
    if (channel === 'webhook' && url) {
      // Not the whole URL, which may contain a secret.
      const link = links.urlFor(approval.id, new URL(url).origin);
      const run = await runs.find(workspaceId, approval.turnId);
      const content = { type: 'approval.requested', approval: toWire(approval), link };
      return sendWebhook({ url, botId: bot.id, about: approval.id, runId: run?.turnId, content }, signal);
    }
    if (channel !== 'email' || !email) return;
    if (!sendMail) throw new PermanentFailure('There is no mail server: SVC_SMTP_URL is not set.');
    const link = links.urlFor(approval.id, email);
    await sendMail(noticeMail({ to: email, botName: bot.name, approval, link }), signal);
  };
}
