import { IdParams, Message } from '@svc/contract/common';
import {
  ConsoleConversation,
  ConsoleConversationQuery,
  ConsoleTrace,
  ConsoleTraceQuery,
} from '@svc/contract/console-conversation';
import { hasRole } from '@svc/contract/roles';
import type { FastifyRequest } from 'fastify';
import { findMember, memberOf, workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { operationsOf } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

const operation = operationsOf('Console');
const path = '/api/console/conversations/:id';

export function consoleConversationRoutes(
  app: HttpApp,
  { consoleConversation, desk, idempotent }: Pick<Services, 'consoleConversation' | 'desk' | 'idempotent'>,
): void {
  app.get(
    path,
    operation({
      ability: 'session',
      id: 'getConsoleConversation',
      summary: 'Read a conversation with its turns, calls, approvals and costs',
      description:
        'Operators also see replies that were withheld from the user. `last_event_id` is where to follow it from. With `branch_id` the messages are those that were there with that branch, even if it is put aside.',
      schema: {
        params: IdParams,
        querystring: ConsoleConversationQuery,
        response: { 200: ConsoleConversation },
      },
    }),
    (request) =>
      consoleConversation.get(workspaceOf(request), request.params.id, {
        isOperator: isOperator(request),
        branchId: request.query.branch_id,
      }),
  );

  app.get(
    `${path}/trace`,
    operation({
      ability: 'session',
      id: 'getConsoleTrace',
      summary: 'Read the steps of one turn with their costs',
      description: 'A turn that was not traced has the steps that follow from its events.',
      schema: { params: IdParams, querystring: ConsoleTraceQuery, response: { 200: ConsoleTrace } },
    }),
    (request) =>
      consoleConversation.trace(
        workspaceOf(request),
        request.params.id,
        request.query.turn_id,
        isOperator(request),
      ),
  );

  app.post(
    `${path}/seen`,
    operation({
      ability: 'session',
      id: 'seeConversation',
      summary: 'Note that the member has opened a conversation',
      description: 'They are no longer in its `unread_mentions`.',
      schema: { params: IdParams, response: { 200: Message } },
      idempotent: true,
    }),
    (request) =>
      idempotent<Message>(request, async () => {
        await desk.see(workspaceOf(request), request.params.id, memberOf(request).member.id);
        return { message: 'The conversation was seen.' };
      }),
  );
}

function isOperator(request: FastifyRequest): boolean {
  const member = findMember(request);
  return member !== undefined && hasRole(member.role, 'operator');
}
