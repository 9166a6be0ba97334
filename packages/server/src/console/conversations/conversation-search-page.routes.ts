import {
  ConsoleConversationQuery,
  ConversationExportQuery,
  ListedConversation,
} from '@svc/contract/console-conversations';
import { Type } from 'typebox';
import { workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { linkToNextPage } from '../../http/link-to-next-page.ts';
import { operationsOf } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

const operation = operationsOf('Console');
const path = '/api/console/conversations';
const types = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson; charset=utf-8' };

export function conversationSearchRoutes(
  app: HttpApp,
  {
    conversationSearch,
    sendDownload,
    publicUrl,
  }: Pick<Services, 'conversationSearch' | 'publicUrl' | 'sendDownload'>,
): void {
  app.get(
    path,
    operation({
      ability: 'session',
      id: 'searchConversations',
      summary: 'Search conversations, those with the latest messages first',
      description:
        'A search for a text takes at most a few seconds: a page that is not full, but has a next one, says how far it came.',
      schema: { querystring: ConsoleConversationQuery, response: { 200: Type.Array(ListedConversation) } },
      errors: ['NOT_FOUND'],
    }),
    async (request, reply) => {
      const { workspace: _workspace, ...query } = request.query;
      const isGone = () => request.raw.socket.destroyed;
      const page = await conversationSearch.search(workspaceOf(request), query, isGone);
      if (page.next) linkToNextPage(reply, `${publicUrl}${path}`, { ...query, before: page.next });
      return page.conversations;
    },
  );

  app.get(
    `${path}/export`,
    operation({
      ability: 'session',
      id: 'exportConversations',
      summary: 'Download conversations as CSV or NDJSON',
      description:
        'CSV has a line per conversation; NDJSON has an object per conversation, with its messages.',
      schema: { querystring: ConversationExportQuery, response: { 200: Type.String() } },
      errors: ['NOT_FOUND'],
      produces: 'text/csv',
    }),
    async (request, reply) => {
      const { query } = request;
      const isGone = () => request.raw.socket.destroyed;
      const texts = await conversationSearch.export(workspaceOf(request), query, isGone);
      const day = new Date().toISOString().slice(0, 10);
      const filename = `conversations-${day}.${query.format}`;
      const download = { content: { texts }, type: types[query.format], filename };
      return sendDownload(reply, download) as unknown as string;
    },
  );
}
