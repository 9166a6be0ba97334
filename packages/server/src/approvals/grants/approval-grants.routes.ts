import { ApprovalGrant, GrantsQuery } from '@svc/contract/approval-grants';
import { IdParams, Message } from '@svc/contract/common';
import { Type } from 'typebox';
import { workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { operationsOf } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

const operation = operationsOf('Approvals');
const path = '/api/v1/approval-grants';

export function approvalGrantRoutes(
  app: HttpApp,
  { approvalGrants, sendList }: Pick<Services, 'approvalGrants' | 'sendList'>,
): void {
  app.get(
    path,
    operation({
      ability: 'conversations:read',
      id: 'listApprovalGrants',
      summary: 'List what was allowed together with an approval, oldest first',
      description:
        'A grant is given with `grant` of an answer. It counts for the bot, the machine, the sender and the end user of its conversation, and no longer than its giver may approve calls on that machine.',
      schema: { querystring: GrantsQuery, response: { 200: Type.Array(ApprovalGrant) } },
      errors: ['NOT_FOUND'],
    }),
    (request, reply) => sendList(reply, approvalGrants.list(workspaceOf(request), request.query)),
  );

  app.delete(
    `${path}/:id`,
    operation({
      ability: 'approvals:write',
      id: 'revokeApprovalGrant',
      summary: 'Revoke a grant',
      description: 'Later calls are asked about again. Those that it has approved already are not affected.',
      schema: { params: IdParams, response: { 200: Message } },
    }),
    async (request) => {
      await approvalGrants.revoke(workspaceOf(request), request.params.id);
      return { message: 'The grant was revoked.' };
    },
  );
}
