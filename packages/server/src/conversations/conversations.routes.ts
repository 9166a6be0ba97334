import { IdParams } from '@svc/contract/common';
import {
  Conversation,
  ConversationDetail,
  ConversationQuery,
  ReaderQuery,
  Trace,
} from '@svc/contract/conversations';
import { EndUserConversation, EndUserConversationDetail } from '@svc/contract/end-users';
import { hasRole } from '@svc/contract/roles';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { findMember, principalOf, workspaceOf } from '../http/access.ts';
import { orForEndUsers } from '../http/end-user-answers.ts';
import type { HttpApp } from '../http/http-app.ts';
import { linkToNextPage } from '../http/link-to-next-page.ts';
import { metadataFilter } from '../http/metadata-filter.ts';
import { operationsOf } from '../http/operation.ts';
import type { Services } from '../services.ts';
import { ownConversation, ownConversations } from './own-conversations.ts';

const operation = operationsOf('Conversations');
const path = '/api/v1/conversations';

export function conversationRoutes(
  app: HttpApp,
  {
    conversations,
    endUserView,
    traces,
    publicUrl,
  }: Pick<Services, 'conversations' | 'endUserView' | 'publicUrl' | 'traces'>,
): void {
  app.get(
    path,
    operation({
      ability: 'conversations:read',
      id: 'listConversations',
      summary: 'List conversations, newest first',
      description:
        'Chats, agent runs and calls. `needs_human=true` selects those that wait for a person. The `Link` header leads to the next page while there is one.',
      endUsers: true,
      schema: {
        querystring: ConversationQuery,
        response: { 200: orForEndUsers(Type.Array(Conversation), Type.Array(EndUserConversation)) },
      },
      errors: ['NOT_FOUND'],
    }),
    async (request, reply) => {
      const { query, endUser } = request;
      const page = endUser
        ? await endUserView.list(endUser.workspaceId, ownConversations(endUser, query))
        : await conversations.list(workspaceOf(request), query, metadataFilter(query));
      if (page.next) linkToNextPage(reply, `${publicUrl}${path}`, { ...query, before: page.next });
      return page.conversations;
    },
  );

  app.get(
    `${path}/:id`,
    operation({
      ability: 'conversations:read',
      id: 'getConversation',
      summary: 'Read a conversation with its messages',
      endUsers: true,
      schema: {
        params: IdParams,
        querystring: ReaderQuery,
        response: { 200: orForEndUsers(ConversationDetail, EndUserConversationDetail) },
      },
    }),
    (request): Promise<ConversationDetail | EndUserConversationDetail> => {
      const { endUser, params, query } = request;
      if (!endUser)
        return conversations.get(workspaceOf(request), params.id, { externalUserId: query.external_user_id });
      const wanted = ownConversation(endUser, { conversation_id: params.id, ...query });
      return endUserView.get(endUser.workspaceId, wanted);
    },
  );

  app.get(
    `${path}/:id/trace`,
    operation({
      ability: 'conversations:read',
      id: 'getConversationTrace',
      summary: 'Read what happened in a conversation, step by step',
      description: [
        'Only turns that ran while the bot had `enable_agent_tracing` on have steps. Secrets are masked as `***`, and very',
        'large values are truncated with a note. `confidence` and `validation` steps show only that they ran; to keys with `workspace:read` a `validation` step also shows its verdict and the number of unsupported claims.',
      ].join(' '),
      schema: { params: IdParams, querystring: ReaderQuery, response: { 200: Trace } },
    }),
    (request) =>
      traces.read(workspaceOf(request), request.params.id, {
        externalUserId: request.query.external_user_id,
        showsVerdicts: seesQuality(request),
      }),
  );
}

/** Of members, those who also see quality in the console. */
function seesQuality(request: FastifyRequest): boolean {
  const member = findMember(request);
  if (member) return hasRole(member.role, 'operator');
  return principalOf(request).abilities.has('workspace:read');
}
