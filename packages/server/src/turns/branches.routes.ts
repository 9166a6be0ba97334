import { Branch, BranchChoice, EditMessage } from '@svc/contract/branches';
import { IdParams, Message, Strict, Uuid } from '@svc/contract/common';
import { ReaderQuery } from '@svc/contract/conversations';
import { EndUserStreamedEvent } from '@svc/contract/end-user-events';
import type { ErrorCode } from '@svc/contract/errors';
import { StreamedEvent } from '@svc/contract/events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ownConversation } from '../conversations/conversations.service.ts';
import { workspaceOf } from '../http/access.ts';
import { lastEventIdHeader } from '../http/conversation-streams.ts';
import { orForEndUsers } from '../http/end-user-answers.ts';
import type { HttpApp } from '../http/http-app.ts';
import { operationsOf } from '../http/operation.ts';
import { AppError } from '../lib/app-error.ts';
import type { Services } from '../services.ts';
import { senderOf } from './turns.routes.ts';
import type { AcceptedTurn } from './turns.service.ts';

const operation = operationsOf('Conversations');
const path = '/api/v1/conversations/:id';
const MessageParams = Strict({ id: Uuid, message_id: Uuid });

const errors: ErrorCode[] = [
  'NOT_FOUND',
  'BOT_INACTIVE',
  'BRANCH_REFUSED',
  'TURN_IN_PROGRESS',
  'INSUFFICIENT_BALANCE',
  'NO_MODEL_CONFIGURED',
  'MACHINE_OFFLINE',
  'WORKDIR_UNAVAILABLE',
];
const streamed = { endUsers: true, produces: 'text/event-stream', errors, idempotent: true };
const response = { 200: orForEndUsers(StreamedEvent, EndUserStreamedEvent) };

/** Messages that are answered again or edited, and the branches that come of it. */
export function branchRoutes(
  app: HttpApp,
  dependencies: Pick<
    Services,
    'branches' | 'caps' | 'concurrencyLimits' | 'conversations' | 'sendStream' | 'turns'
  >,
): void {
  const { branches, caps, concurrencyLimits, conversations, sendStream, turns } = dependencies;

  app.post(
    `${path}/messages/:message_id/regenerate`,
    {
      ...operation({
        ability: 'chat:write',
        id: 'regenerateReply',
        summary: 'Answer a message again',
        description:
          "Of a user's message, or of one with which the bot answered it: the user's message begins a new branch with a turn of its own, streamed as by send-stream. What followed before is put aside with its branch, which can be chosen again. The answer is 409 if tools have already done something in what would be put aside, or if the conversation waits for a person.",
        schema: { headers: lastEventIdHeader, params: MessageParams, response },
        ...streamed,
      }),
      onRequest: refuseCapped,
    },
    async (request, reply) => answer(request, reply, request.params, undefined),
  );

  app.post(
    `${path}/messages/:message_id/edit`,
    {
      ...operation({
        ability: 'chat:write',
        id: 'editMessage',
        summary: "Put another text in the place of a user's message",
        description:
          'The new text begins a branch, and is answered there as `regenerate` does it. The message as it was is put aside with what followed.',
        schema: { headers: lastEventIdHeader, params: MessageParams, body: EditMessage, response },
        ...streamed,
      }),
      onRequest: refuseCapped,
    },
    async (request, reply) => answer(request, reply, request.params, request.body.content),
  );

  app.get(
    `${path}/branches`,
    operation({
      ability: 'conversations:read',
      id: 'listBranches',
      summary: 'List the branches of a conversation, oldest first',
      description:
        'Branches with the same `after_message_id` are alternatives of each other, of which one is current. There are none until a message is answered again or edited, and at most 100.',
      endUsers: true,
      schema: { params: IdParams, querystring: ReaderQuery, response: { 200: Type.Array(Branch) } },
    }),
    async (request) => branches.list(await wanted(request, request.params.id, request.query)),
  );

  app.patch(
    `${path}/branches`,
    operation({
      ability: 'chat:write',
      id: 'chooseBranch',
      summary: 'Choose the branch with which a conversation continues',
      description:
        'The current one of its place is put aside. The messages are then those of `GET /api/v1/conversations/{id}`.',
      endUsers: true,
      schema: { params: IdParams, body: BranchChoice, response: { 200: Message } },
      errors: ['NOT_FOUND', 'BRANCH_REFUSED', 'TURN_IN_PROGRESS'],
    }),
    async (request) => {
      const row = await wanted(request, request.params.id);
      const choose = async (refusal?: AppError) => {
        if (refusal) throw refusal;
        await branches.choose(row, request.body);
      };
      const { endUser } = request;
      // Everybody who looks at the conversation reads it again.
      await (endUser ? caps.during(senderOf(endUser, request), choose) : choose());
      return { message: 'The conversation continues with this branch.' };
    },
  );

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    { id, message_id: messageId }: { id: string; message_id: string },
    content: string | undefined,
  ): Promise<FastifyReply> {
    concurrencyLimits.whileOpen('streams', request, reply);
    const { endUser } = request;
    return sendStream<AcceptedTurn>(request, reply, {
      async send(given) {
        const row = await wanted(request, id);
        const options = { ...given, isEndUser: endUser !== null, actsFor: request.principal?.keyId };
        const send = (refusal?: AppError) =>
          turns.answerAgain(row, { messageId, content }, { ...options, refusal });
        return endUser ? caps.during(senderOf(endUser, request), send) : send();
      },
      async startOfRepeat(accepted, lastSeen) {
        await wanted(request, accepted.conversation_id);
        return turns.startOfRepeat(workspaceOf(request), accepted, lastSeen);
      },
    });
  }

  /** The conversation, unless it is not the caller's. */
  function wanted(request: FastifyRequest, id: string, query: { external_user_id?: string } = {}) {
    const { endUser } = request;
    const place = { conversation_id: id, ...query };
    return conversations.getWanted(workspaceOf(request), endUser ? ownConversation(endUser, place) : place);
  }

  /** Before the body is read. */
  function refuseCapped(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
    if (request.endUser) caps.refuseKnown(senderOf(request.endUser, request));
    done();
  }
}
