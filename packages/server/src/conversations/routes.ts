import { IdParams } from '@svc/contract/common';
import {
  Conversation,
  ConversationDetail,
  ConversationQuery,
  ReaderQuery,
  Trace,
} from '@svc/contract/conversations';
import { Type } from 'typebox';
import { workspaceOf } from '../http/access.ts';
import type { HttpApp } from '../http/http-app.ts';
import { linkToNextPage } from '../http/link-to-next-page.ts';
import { metadataFilter } from '../http/metadata-filter.ts';
import { operation } from '../http/operation.ts';
import type { ConversationService } from './service.ts';
import type { TraceService } from './tracing/service.ts';

const tag = 'Conversations';
const path = '/api/v1/conversations';

export function conversationRoutes(
  app: HttpApp,
  {
    conversations,
    traces,
    publicUrl,
  }: { conversations: ConversationService; traces: Pick<TraceService, 'read'>; publicUrl: string },
): void {
  app.get(
    path,
    operation({
      ability: 'conversations:read',
      tag,
      id: 'listConversations',
      summary: 'List conversations, newest first',
      description:
        'Chats, agent runs and calls. `needs_human=true` selects those that wait for a person. The `Link` header leads to the next page while there is one.',
      schema: { querystring: ConversationQuery, response: { 200: Type.Array(Conversation) } },
      errors: ['NOT_FOUND'],
    }),
    async (request, reply) => {
      const { query } = request;
      const page = await conversations.list(workspaceOf(request), query, metadataFilter(query));
      if (page.next) linkToNextPage(reply, `${publicUrl}${path}`, { ...query, before: page.next });
      return page.conversations;
    },
  );

  app.get(
    `${path}/:id`,
    operation({
      ability: 'conversations:read',
      tag,
      id: 'getConversation',
      summary: 'Read a conversation with its messages',
      schema: { params: IdParams, querystring: ReaderQuery, response: { 200: ConversationDetail } },
    }),
    (request) => conversations.get(workspaceOf(request), request.params.id, request.query.external_user_id),
  );

  app.get(
    `${path}/:id/trace`,
    operation({
      ability: 'conversations:read',
      tag,
      id: 'getConversationTrace',
      summary: 'Read what happened in a conversation, step by step',
      description: [
        'Only turns that ran while the bot had `enable_agent_tracing` on have steps. Secrets are masked as `***`, and very',
        'large values are truncated with a note. `confidence` and `validation` steps show only that they ran.',
      ].join(' '),
      schema: { params: IdParams, querystring: ReaderQuery, response: { 200: Trace } },
    }),
    (request) => traces.read(workspaceOf(request), request.params.id, request.query.external_user_id),
  );
}
