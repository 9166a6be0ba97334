import { Bot, BotCreate, BotModelUpdate, BotUpdate } from '@svc/contract/bots';
import { Created, IdParams, Message, Metadata, MetadataFilter } from '@svc/contract/common';
import { Type } from 'typebox';
import { principalOf, workspaceOf } from '../http/access.ts';
import type { HttpApp } from '../http/http-app.ts';
import type { Idempotent } from '../http/idempotency.ts';
import { metadataFilter } from '../http/metadata-filter.ts';
import { operationsOf } from '../http/operation.ts';
import type { SendList } from '../http/send-list.ts';
import type { BotService } from './bots.service.ts';

const operation = operationsOf('Bots');
const noticeNote = 'To set or change `approval_notice` the key also needs the ability `approvals:write`.';

export function botRoutes(
  app: HttpApp,
  { bots, idempotent, sendList }: { bots: BotService; idempotent: Idempotent; sendList: SendList },
): void {
  app.get(
    '/api/v1/bots',
    operation({
      ability: 'bots:read',
      id: 'listBots',
      summary: 'List all bots',
      description:
        'Inactive bots are listed too. `?metadata.<key>=<value>` keeps those that carry the value.',
      schema: { querystring: MetadataFilter, response: { 200: Type.Array(Bot) } },
    }),
    (request, reply) => sendList(reply, bots.list(workspaceOf(request), metadataFilter(request.query))),
  );

  app.post(
    '/api/v1/bots',
    operation({
      ability: 'bots:write',
      id: 'createBot',
      summary: 'Create a bot',
      description: noticeNote,
      schema: { body: BotCreate, response: { 201: Created } },
      errors: ['PLAN_LIMIT_REACHED', 'METADATA_INVALID', 'UPSTREAM_FAILED'],
      idempotent: true,
    }),
    async (request, reply) => {
      const author = principalOf(request);
      const work = idempotent<{ id: string }>(request, (record) =>
        bots.create(author.workspaceId, author, request.body, record),
      );
      return reply.code(201).send(await work);
    },
  );

  app.get(
    '/api/v1/bots/:id',
    operation({
      ability: 'bots:read',
      id: 'getBot',
      summary: 'Read a bot',
      schema: { params: IdParams, response: { 200: Bot } },
    }),
    (request) => bots.get(workspaceOf(request), request.params.id),
  );

  app.put(
    '/api/v1/bots/:id',
    operation({
      ability: 'bots:write',
      id: 'updateBot',
      summary: 'Change a bot',
      description: noticeNote,
      schema: { params: IdParams, body: BotUpdate, response: { 200: Message } },
      errors: ['PLAN_LIMIT_REACHED', 'METADATA_INVALID', 'UPSTREAM_FAILED'],
    }),
    async (request) => {
      const author = principalOf(request);
      await bots.update(author.workspaceId, author, request.params.id, request.body);
      return { message: 'The bot was saved.' };
    },
  );

  app.delete(
    '/api/v1/bots/:id',
    operation({
      ability: 'bots:write',
      id: 'deactivateBot',
      summary: 'Make a bot inactive',
      description: 'A soft delete: the bot is kept and can be made active again.',
      schema: { params: IdParams, response: { 200: Message } },
    }),
    async (request) => {
      await bots.delete(workspaceOf(request), request.params.id);
      return { message: 'The bot is now inactive.' };
    },
  );

  app.patch(
    '/api/v1/bots/:id/model',
    operation({
      ability: 'bots:write',
      id: 'setBotModel',
      summary: "Switch a bot's chat model",
      schema: { params: IdParams, body: BotModelUpdate, response: { 200: Message } },
    }),
    async (request) => {
      const { workspaceId, keyId } = principalOf(request);
      await bots.switchModel(workspaceId, keyId, request.params.id, request.body.model);
      return { message: 'The model was switched.' };
    },
  );

  app.patch(
    '/api/v1/bots/:id/metadata',
    operation({
      ability: 'bots:write',
      id: 'replaceBotMetadata',
      summary: "Replace a bot's metadata",
      description: 'The body is the whole object; {} clears it.',
      schema: { params: IdParams, body: Metadata, response: { 200: Message } },
      errors: ['METADATA_INVALID'],
    }),
    async (request) => {
      await bots.replaceMetadata(workspaceOf(request), request.params.id, request.body);
      return { message: 'The metadata was replaced.' };
    },
  );
}
