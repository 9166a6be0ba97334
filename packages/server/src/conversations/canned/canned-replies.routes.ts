import { CannedReply, CannedReplyCreate, CannedReplyUpdate } from '@svc/contract/canned-replies';
import { Created, IdParams, Message } from '@svc/contract/common';
import { Type } from 'typebox';
import { workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { operationsOf } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

const operation = operationsOf('Conversations');
const path = '/api/v1/canned-replies';

export function cannedReplyRoutes(
  app: HttpApp,
  { cannedReplies, idempotent, sendList }: Pick<Services, 'cannedReplies' | 'idempotent' | 'sendList'>,
): void {
  app.get(
    path,
    operation({
      ability: 'conversations:read',
      id: 'listCannedReplies',
      summary: 'List canned replies by their shortcuts',
      schema: { response: { 200: Type.Array(CannedReply) } },
    }),
    (request, reply) => sendList(reply, cannedReplies.list(workspaceOf(request))),
  );

  app.post(
    path,
    operation({
      ability: 'conversations:write',
      id: 'createCannedReply',
      summary: 'Create a canned reply',
      schema: { body: CannedReplyCreate, response: { 201: Created } },
      idempotent: true,
    }),
    async (request, reply) => {
      const work = idempotent<{ id: string }>(request, (record) =>
        cannedReplies.create(workspaceOf(request), request.body, record),
      );
      return reply.code(201).send(await work);
    },
  );

  app.put(
    `${path}/:id`,
    operation({
      ability: 'conversations:write',
      id: 'updateCannedReply',
      summary: 'Change a canned reply',
      schema: { params: IdParams, body: CannedReplyUpdate, response: { 200: Message } },
    }),
    async (request) => {
      await cannedReplies.update(workspaceOf(request), request.params.id, request.body);
      return { message: 'The canned reply was saved.' };
    },
  );

  app.delete(
    `${path}/:id`,
    operation({
      ability: 'conversations:write',
      id: 'deleteCannedReply',
      summary: 'Delete a canned reply',
      schema: { params: IdParams, response: { 200: Message } },
    }),
    async (request) => {
      await cannedReplies.delete(workspaceOf(request), request.params.id);
      return { message: 'The canned reply was deleted.' };
    },
  );
}
