import { Created, IdParams, Message } from '@svc/contract/common';
import { ConversationView, ConversationViewCreate } from '@svc/contract/conversation-views';
import { Type } from 'typebox';
import { workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { operationsOf } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

const operation = operationsOf('Conversations');
const path = '/api/v1/conversation-views';

export function conversationViewRoutes(
  app: HttpApp,
  { conversationViews, idempotent }: Pick<Services, 'conversationViews' | 'idempotent'>,
): void {
  app.get(
    path,
    operation({
      ability: 'conversations:read',
      id: 'listConversationViews',
      summary: 'List saved views of conversations by their names',
      schema: { response: { 200: Type.Array(ConversationView) } },
    }),
    (request) => conversationViews.list(workspaceOf(request)),
  );

  app.post(
    path,
    operation({
      ability: 'conversations:write',
      id: 'createConversationView',
      summary: 'Save a view of conversations for the team',
      schema: { body: ConversationViewCreate, response: { 201: Created } },
      idempotent: true,
    }),
    async (request, reply) => {
      const work = idempotent<{ id: string }>(request, (record) =>
        conversationViews.create(workspaceOf(request), request.body, record),
      );
      return reply.code(201).send(await work);
    },
  );

  app.delete(
    `${path}/:id`,
    operation({
      ability: 'conversations:write',
      id: 'deleteConversationView',
      summary: 'Delete a saved view',
      schema: { params: IdParams, response: { 200: Message } },
    }),
    async (request) => {
      await conversationViews.delete(workspaceOf(request), request.params.id);
      return { message: 'The view was deleted.' };
    },
  );
}
