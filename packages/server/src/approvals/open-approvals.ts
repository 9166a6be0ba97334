import type { Feature, Ground, Services } from '../services.ts';
import { approvalRoutes } from './approvals.routes.ts';
import { createApprovalService } from './approvals.service.ts';
import { approvalGrantRoutes } from './grants/approval-grants.routes.ts';
import { createApprovalGrants } from './grants/approval-grants.service.ts';
import { toolGrantRoutes } from './grants/tool-grants.routes.ts';
import { createToolGrants } from './grants/tool-grants.service.ts';
import { createApprovalAnnouncer } from './notices/announcer.ts';
import { noticeQueue } from './notices/approval-notices.queue.ts';
import { createNoticeSender } from './notices/notice-sender.ts';
import { createApprovalLinks } from './page/approval-links.ts';
import { approvalPageRoutes } from './page/approval-page.routes.ts';
import { type ApprovalResolverDependencies, createApprovalResolver } from './resolver.ts';

/** Approvals with their notices. Defines the job of the latter, so it comes before jobs start. */
export function openApprovals(
  services: Ground & Pick<Services, 'bots' | 'conversations' | 'machines' | 'runs' | 'tools'>,
): Feature<Pick<Services, 'approvalGrants' | 'approvals' | 'links' | 'toolGrants'>> {
  const links = createApprovalLinks(services.box, services.publicUrl);
  const approvals = createApprovalService({ ...services, notices: createApprovalAnnouncer(services) });
  services.jobs.define(noticeQueue, createNoticeSender({ ...services, approvals, links }));
  const approvalGrants = createApprovalGrants(services);
  const toolGrants = createToolGrants(services);
  return {
    services: { approvalGrants, approvals, links, toolGrants },
    routes: [approvalGrantRoutes, toolGrantRoutes],
  };
}

/** Answers resume turns, so they are opened after those. */
export function openApprovalAnswers(
  dependencies: ApprovalResolverDependencies,
): Feature<Pick<Services, 'resolver'>> {
  const resolver = createApprovalResolver(dependencies);
  return {
    services: { resolver },
    routes: [approvalRoutes, approvalPageRoutes],
    rounds: [{ name: 'expire approvals', everyMilliseconds: 3_000, work: resolver.expire }],
  };
}
