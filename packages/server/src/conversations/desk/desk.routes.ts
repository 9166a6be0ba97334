import { Created, IdParams, Message, Metadata } from '@svc/contract/common';
import { ConversationUpdate, NewNote, OperatorMessage } from '@svc/contract/conversations';
import { findMember, principalOf, workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { operationsOf } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

const operation = operationsOf('Conversations');
const path = '/api/v1/conversations/:id';

export function deskRoutes(
  app: HttpApp,
  { desk, idempotent, stopTurn }: Pick<Services, 'desk' | 'idempotent' | 'stopTurn'>,
): void {
  app.patch(
    path,
    operation({
      ability: 'conversations:write',
      id: 'updateConversation',
      summary: 'Change a conversation',
      description:
        '`needs_human: { "reason": "…" }` takes over: the bot is stopped and does not answer until `needs_human: null` returns the conversation to it. `metadata` and `labels` replace the whole.',
      schema: { params: IdParams, body: ConversationUpdate, response: { 200: Message } },
      errors: ['METADATA_INVALID'],
    }),
    async (request) => {
      const { id } = request.params;
      const { isTakenOver } = await desk.update(workspaceOf(request), id, request.body);
      // Once no further turn is answered.
      if (isTakenOver) await stopTurn(workspaceOf(request), id, findMember(request) ? 'operator' : 'api');
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

  app.post(
    `${path}/notes`,
    operation({
      ability: 'conversations:write',
      id: 'writeConversationNote',
      summary: 'Leave a note for the team',
      description: 'Neither the user nor the model ever sees it.',
      schema: { params: IdParams, body: NewNote, response: { 201: Created } },
      idempotent: true,
    }),
    async (request, reply) => {
      const work = idempotent<{ id: string }>(request, (record) =>
        desk.writeNote(workspaceOf(request), request.params.id, request.body, record),
      );
      return reply.code(201).send(await work);
    },
  );
}
