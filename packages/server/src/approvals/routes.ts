import { Approval, ApprovalAnswer, ApprovalResponse, ApprovalsQuery } from '@svc/contract/approvals';
import { IdParams } from '@svc/contract/common';
import { Type } from 'typebox';
import { principalOf, workspaceOf } from '../http/access.ts';
import type { HttpApp } from '../http/http-app.ts';
import type { Idempotent } from '../http/idempotency.ts';
import { operation } from '../http/operation.ts';
import type { SendList } from '../http/send-list.ts';
import type { ApprovalResolver } from './resolver.ts';
import type { ApprovalService } from './service.ts';

const tag = 'Approvals';

export interface ApprovalRouteDependencies {
  approvals: Pick<ApprovalService, 'listPending'>;
  resolver: Pick<ApprovalResolver, 'respond'>;
  idempotent: Idempotent;
  sendList: SendList;
}

export function approvalRoutes(
  app: HttpApp,
  { approvals, resolver, idempotent, sendList }: ApprovalRouteDependencies,
): void {
  app.get(
    '/api/v1/hitl',
    operation({
      ability: 'conversations:read',
      tag,
      id: 'listApprovals',
      summary: 'List pending approvals, oldest first',
      schema: { querystring: ApprovalsQuery, response: { 200: Type.Array(Approval) } },
      errors: ['NOT_FOUND'],
    }),
    (request, reply) =>
      sendList(reply, approvals.listPending(workspaceOf(request), request.query.conversation_id)),
  );

  app.post(
    '/api/v1/hitl/:id/respond',
    operation({
      ability: 'approvals:write',
      tag,
      id: 'respondToApproval',
      summary: 'Approve, approve with changes, or deny',
      description:
        'The turn continues automatically when all of its approvals are answered: do not send the message again. The first answer counts; later ones get 409 with the stored decision in `details`, except for a repeat with the same Idempotency-Key, which gets the first answer again. So does an answer that comes too late, or that approves a call whose tool was changed since it was proposed: the approval is then `expired`, with the reason, and nothing runs.',
      schema: { params: IdParams, body: ApprovalResponse, response: { 200: ApprovalAnswer } },
      errors: ['ALREADY_RESOLVED'],
      idempotent: true,
    }),
    (request) => {
      const { workspaceId, keyId } = principalOf(request);
      return idempotent<ApprovalAnswer>(request, (record) =>
        resolver.respond(workspaceId, request.params.id, request.body, `key:${keyId}`, record),
      );
    },
  );
}
