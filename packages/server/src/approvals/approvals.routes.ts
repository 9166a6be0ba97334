import { ApprovalAnswer, ApprovalDetail, ApprovalResponse, ApprovalsQuery } from '@svc/contract/approvals';
import { IdParams } from '@svc/contract/common';
import { Type } from 'typebox';
import { findMember, principalOf, workspaceOf } from '../http/access.ts';
import type { HttpApp } from '../http/http-app.ts';
import { linkToNextPage } from '../http/link-to-next-page.ts';
import { operationsOf } from '../http/operation.ts';
import { invalid } from '../lib/app-error.ts';
import type { Services } from '../services.ts';
import { resolvers } from './answered-by.ts';

const operation = operationsOf('Approvals');
const path = '/api/v1/hitl';

export function approvalRoutes(
  app: HttpApp,
  {
    approvals,
    resolver,
    idempotent,
    sendList,
    publicUrl,
  }: Pick<Services, 'approvals' | 'idempotent' | 'publicUrl' | 'resolver' | 'sendList'>,
): void {
  app.get(
    path,
    operation({
      ability: 'conversations:read',
      id: 'listApprovals',
      summary: 'List approvals: pending ones, oldest first, or resolved ones',
      description:
        'Pending ones by default. `status=resolved` lists the others, the newest answer first, in pages: the `Link` header leads to the next one while there is one.',
      schema: { querystring: ApprovalsQuery, response: { 200: Type.Array(ApprovalDetail) } },
      errors: ['NOT_FOUND'],
    }),
    async (request, reply) => {
      const { query } = request;
      const workspaceId = workspaceOf(request);
      if (query.status !== 'resolved') {
        if (query.before !== undefined) throw invalid('before', 'belongs to status=resolved');
        return sendList<ApprovalDetail>(reply, approvals.listPending(workspaceId, query));
      }
      const page = await approvals.listResolved(workspaceId, query);
      if (page.next) linkToNextPage(reply, `${publicUrl}${path}`, { ...query, before: page.next });
      return page.approvals;
    },
  );

  app.get(
    `${path}/:id`,
    operation({
      ability: 'conversations:read',
      id: 'getApproval',
      summary: 'Read an approval',
      description: 'With its bot, its end user, who answered it, and what they changed.',
      schema: { params: IdParams, response: { 200: ApprovalDetail } },
    }),
    (request) => approvals.get(workspaceOf(request), request.params.id),
  );

  app.post(
    `${path}/:id/respond`,
    operation({
      ability: 'approvals:write',
      id: 'respondToApproval',
      summary: 'Approve, approve with changes, or deny',
      description:
        'The turn continues automatically when all of its approvals are answered: do not send the message again. The first answer counts; later ones get 409 with the stored decision, and who made it, in `details`, except for a repeat with the same Idempotency-Key, which gets the first answer again. So does an answer that comes too late, or that approves a call whose tool was changed since it was proposed: the approval is then `expired`, with the reason, and nothing runs. Whoever approves a call on a paired machine must be allowed to use that machine; anybody with the ability may deny it.',
      schema: { params: IdParams, body: ApprovalResponse, response: { 200: ApprovalAnswer } },
      errors: ['ALREADY_RESOLVED'],
      idempotent: true,
    }),
    (request) => {
      const { workspaceId, keyId } = principalOf(request);
      const by = findMember(request) ? resolvers.member(keyId) : resolvers.key(keyId);
      return idempotent<ApprovalAnswer>(request, (record) =>
        resolver.respond(workspaceId, request.params.id, request.body, by, record),
      );
    },
  );
}
