import type { Jobs } from '../jobs/jobs.ts';
import {
  type ApprovalDependencies,
  type ApprovalService,
  createApprovalService,
} from './approvals.service.ts';
import { type AnnouncerDependencies, createApprovalAnnouncer } from './notices/announcer.ts';
import { noticeQueue } from './notices/approval-notices.queue.ts';
import { createNoticeSender, type NoticeSenderDependencies } from './notices/notice-sender.ts';
import { type ApprovalLinks, createApprovalLinks } from './page/approval-links.ts';

export type OpenApprovalsOptions = Omit<ApprovalDependencies, 'notices'> &
  Omit<NoticeSenderDependencies, 'approvals' | 'links'> &
  AnnouncerDependencies & {
    box: Parameters<typeof createApprovalLinks>[0];
    publicUrl: string;
    jobs: Pick<Jobs, 'define' | 'enqueue'>;
  };

export interface OpenedApprovals {
  service: ApprovalService;
  links: ApprovalLinks;
}

/** Approvals with their notices. Defines the job of the latter, so it comes before jobs start. */
export function openApprovals(options: OpenApprovalsOptions): OpenedApprovals {
  const links = createApprovalLinks(options.box, options.publicUrl);
  const service = createApprovalService({ ...options, notices: createApprovalAnnouncer(options) });
  options.jobs.define(noticeQueue, createNoticeSender({ ...options, approvals: service, links }));
  return { service, links };
}
