import { IdParams } from '@svc/contract/common';
import { ConsoleConversation, ConsoleTrace, ConsoleTraceQuery } from '@svc/contract/console-conversation';
import { hasRole } from '@svc/contract/roles';
import type { FastifyRequest } from 'fastify';
import { findMember, workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { operationsOf } from '../../http/operation.ts';
import type { ConsoleConversationService } from './console-conversation.service.ts';

const operation = operationsOf('Console');
const path = '/api/console/conversations/:id';

export function consoleConversationRoutes(
  app: HttpApp,
  { consoleConversation }: { consoleConversation: ConsoleConversationService },
): void {
  app.get(
    path,
    operation({
      ability: 'session',
      id: 'getConsoleConversation',
      summary: 'Read a conversation with its turns, calls, approvals and costs',
      description:
        'Operators also see replies that were withheld from the user. `last_event_id` is where to follow it from.',
      schema: { params: IdParams, response: { 200: ConsoleConversation } },
    }),
    (request) => consoleConversation.get(workspaceOf(request), request.params.id, isOperator(request)),
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
}

function isOperator(request: FastifyRequest): boolean {
  const member = findMember(request);
  return member !== undefined && hasRole(member.role, 'operator');
}
