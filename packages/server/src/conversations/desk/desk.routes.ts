import { Created, IdParams, Message, Metadata } from '@svc/contract/common';
import { ConversationUpdate, OperatorMessage } from '@svc/contract/conversations';
import { principalOf, workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import type { Idempotent } from '../../http/idempotency.ts';
import { operationsOf } from '../../http/operation.ts';
import type { ConversationDesk } from './desk.service.ts';

const operation = operationsOf('Conversations');
const path = '/api/v1/conversations/:id';

export function deskRoutes(
  app: HttpApp,
  { desk, idempotent }: { desk: Omit<ConversationDesk, 'flag'>; idempotent: Idempotent },
): void {
  app.patch(
    path,
    operation({
      ability: 'conversations:write',
      id: 'updateConversation',
      summary: 'Change a conversation',
      description:
        '`needs_human: null` returns it to the bot, which does not answer while the conversation waits for a person. `metadata` replaces the whole object.',
      schema: { params: IdParams, body: ConversationUpdate, response: { 200: Message } },
      errors: ['METADATA_INVALID'],
    }),
    async (request) => {
      await desk.update(workspaceOf(request), request.params.id, request.body);
      return { message: 'The conversation was saved.' };
    },
  );

  app.patch(
    `${path}/metadata`,
    operation({
      ability: 'conversations:write',
      id: 'replaceConversationMetadata',
      summary: "Replace a conversation's metadata",
      description: 'The body is the whole object; {} clears it.',
      schema: { params: IdParams, body: Metadata, response: { 200: Message } },
      errors: ['METADATA_INVALID'],
    }),
    async (request) => {
      await desk.replaceMetadata(workspaceOf(request), request.params.id, request.body);
      return { message: 'The metadata was replaced.' };
    },
  );

  app.post(
    `${path}/messages`,
    operation({
      ability: 'conversations:write',
      id: 'writeOperatorMessage',
      summary: 'Write to the user as a person',
      description: [
        'The message has the role `operator` and is sent to readers as `message.operator`. A conversation that waits for a person',
        'still does afterwards: `needs_human: null` in an update returns it to the bot. It can be written at any time, even while',
        'the bot answers or its turn is paused: the bot reads it before its next reply, as the message of a colleague.',
        'Only those who may use the machines that the bot works on can write it (403).',
        'Conversations of runs, calls and evaluations accept none (400).',
      ].join(' '),
      schema: { params: IdParams, body: OperatorMessage, response: { 201: Created } },
      idempotent: true,
    }),
    async (request, reply) => {
      const work = idempotent<{ id: string }>(request, (record) =>
        desk.write(principalOf(request), request.params.id, request.body, record),
      );
      return reply.code(201).send(await work);
    },
  );
}
