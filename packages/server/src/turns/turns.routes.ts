import type { Channel } from '@svc/contract/channels';
import {
  ChatStats,
  EventsQuery,
  SendMessage,
  StatsQuery,
  Stopped,
  StopTurn,
  StreamQuery,
} from '@svc/contract/chat';
import { IdParams, Message } from '@svc/contract/common';
import { EndUserLoggedEvent, EndUserStreamedEvent } from '@svc/contract/end-user-events';
import { LoggedEvent, StreamedEvent } from '@svc/contract/events';
import { Truncate as TruncateBody, Truncated, TruncatePreviewQuery } from '@svc/contract/truncate';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ownConversation, ownMessage } from '../conversations/conversations.service.ts';
import { findMember, principalOf, workspaceOf } from '../http/access.ts';
import { lastEventId, lastEventIdHeader } from '../http/conversation-streams.ts';
import type { EndUserPrincipal, Sender } from '../http/end-user.ts';
import { orForEndUsers } from '../http/end-user-answers.ts';
import type { HttpApp } from '../http/http-app.ts';
import { idempotencyKeyOf } from '../http/idempotency.ts';
import { operation } from '../http/operation.ts';
import { AppError } from '../lib/app-error.ts';
import type { Services } from '../services.ts';
import type { AcceptedTurn } from './turns.service.ts';

const tag = 'Chat';
const events = 'text/event-stream';

export interface TurnRouteDependencies
  extends Pick<
    Services,
    'caps' | 'conversationStreams' | 'idempotent' | 'concurrencyLimits' | 'sendStream' | 'turns'
  > {
  /** The channel of messages that are sent here. */
  channel: Channel;
}

const streamed = orForEndUsers(StreamedEvent, EndUserStreamedEvent);

export function turnRoutes(app: HttpApp, dependencies: TurnRouteDependencies): void {
  const { channel, turns, conversationStreams, sendStream, caps, idempotent, concurrencyLimits } =
    dependencies;

  app.post(
    '/api/v1/chat/send-stream',
    {
      ...operation({
        ability: 'chat:write',
        tag,
        id: 'sendMessage',
        summary: 'Send a message and receive the reply as server-sent events',
        description:
          'The stream ends when the turn completes, pauses, fails or is interrupted. Going away does not stop the turn: `GET /api/v1/chat/stream` joins it again. A repeat with the same Idempotency-Key attaches to the same turn: its events so far, or with `Last-Event-ID` those after that one, and then its further events.',
        endUsers: true,
        produces: events,
        schema: { headers: lastEventIdHeader, body: SendMessage, response: { 200: streamed } },
        errors: [
          'NOT_FOUND',
          'BOT_INACTIVE',
          'TURN_IN_PROGRESS',
          'INSUFFICIENT_BALANCE',
          'METADATA_INVALID',
          'NO_MODEL_CONFIGURED',
          'MACHINE_OFFLINE',
          'WORKDIR_UNAVAILABLE',
        ],
        idempotent: true,
      }),
      // Before the body is read. Not async, so that account keys wait for nothing.
      onRequest(request: FastifyRequest, _reply: FastifyReply, done: () => void) {
        if (request.endUser) caps.refuseKnown(senderOf(request.endUser, request));
        done();
      },
    },
    async (request, reply) => {
      concurrencyLimits.whileOpen('streams', request, reply);
      const { endUser } = request;
      const workspaceId = workspaceOf(request);
      const message = endUser ? ownMessage(endUser, request.body) : requireUser(request.body);
      return sendStream<AcceptedTurn>(request, reply, {
        send(given) {
          const send = (refusal?: AppError) =>
            turns.send(workspaceId, message, {
              ...given,
              channel,
              isEndUser: endUser !== null,
              actsFor: request.principal?.keyId,
              refusal,
            });
          return endUser ? caps.during(senderOf(endUser, request), send) : send();
        },
        async startOfRepeat(accepted, lastSeen) {
          if (endUser) await turns.requireConversation(workspaceId, ownConversation(endUser, accepted));
          return turns.startOfRepeat(workspaceId, accepted, lastSeen);
        },
      });
    },
  );

  app.get(
    '/api/v1/chat/stream',
    operation({
      ability: 'conversations:read',
      tag,
      id: 'followConversation',
      summary: 'Follow a conversation as server-sent events',
      description:
        'Stays open. With `Last-Event-ID` (or `after`) what came after that event is sent first: nothing is missing or repeated. Without one it starts at the first event of an unfinished turn, if there is one.',
      endUsers: true,
      produces: events,
      schema: { headers: lastEventIdHeader, querystring: StreamQuery, response: { 200: streamed } },
      errors: ['NOT_FOUND'],
    }),
    async (request, reply) => {
      concurrencyLimits.whileOpen('streams', request, reply);
      const { conversation_id: conversationId, after } = request.query;
      const seen = lastEventId(request) ?? after;
      const wanted = request.endUser ? ownConversation(request.endUser, request.query) : request.query;
      const start = await turns.startOfReading(workspaceOf(request), wanted, seen);
      conversationStreams.readConversation(request, reply, { conversationId, after: start });
      return reply;
    },
  );

  app.get(
    '/api/v1/chat/events',
    operation({
      ability: 'conversations:read',
      tag,
      id: 'listConversationEvents',
      summary: 'List the events of a conversation',
      description:
        'At most 1,000, or 100 with an end-user token, oldest first; `after` is the id of the last event of the previous page.',
      endUsers: true,
      schema: {
        querystring: EventsQuery,
        response: { 200: orForEndUsers(Type.Array(LoggedEvent), Type.Array(EndUserLoggedEvent)) },
      },
      errors: ['NOT_FOUND'],
    }),
    (request): Promise<LoggedEvent[] | EndUserLoggedEvent[]> => {
      const { endUser, query } = request;
      const { after = 0 } = query;
      if (!endUser) return turns.listEvents(workspaceOf(request), query, after);
      return turns.listEndUserEvents(endUser.workspaceId, ownConversation(endUser, query), after);
    },
  );

  app.get(
    '/api/v1/chat/stats',
    operation({
      ability: 'conversations:read',
      tag,
      id: 'getConversationStats',
      summary: 'Tokens and cost of a conversation',
      schema: { querystring: StatsQuery, response: { 200: ChatStats } },
      errors: ['NOT_FOUND'],
    }),
    (request) => turns.stats(workspaceOf(request), request.query),
  );

  app.post(
    '/api/v1/chat/stop',
    operation({
      ability: 'chat:write',
      tag,
      id: 'stopTurn',
      summary: 'Interrupt the turn of a conversation',
      description: 'The reply so far is kept, marked as interrupted.',
      endUsers: true,
      schema: { body: StopTurn, response: { 200: Stopped } },
      errors: ['NOT_FOUND'],
      idempotent: true,
    }),
    (request) =>
      idempotent<Stopped>(request, async () => {
        const { endUser, body } = request;
        const by = findMember(request) ? 'operator' : 'api';
        if (!endUser) return turns.stop(workspaceOf(request), body.conversation_id, by);
        await turns.requireConversation(endUser.workspaceId, ownConversation(endUser, body));
        return turns.stop(endUser.workspaceId, body.conversation_id, 'user');
      }),
  );

  app.post(
    '/api/v1/conversations/:id/truncate',
    operation({
      ability: 'conversations:write',
      tag: 'Conversations',
      id: 'truncateConversation',
      summary: 'Remove everything after a message',
      description:
        'With `revert_files`, files that the removed calls changed on paired machines get their earlier content first. If such a machine is not connected, the answer is 409 and nothing is removed.',
      schema: { params: IdParams, body: TruncateBody, response: { 200: Truncated } },
      errors: ['TURN_IN_PROGRESS', 'LEGAL_HOLD', 'MACHINE_OFFLINE', 'UPSTREAM_FAILED'],
      idempotent: true,
    }),
    (request) =>
      idempotent<Truncated>(request, () =>
        turns.truncate(workspaceOf(request), request.params.id, request.body, principalOf(request).keyId),
      ),
  );

  app.get(
    '/api/v1/conversations/:id/truncate-preview',
    operation({
      ability: 'conversations:read',
      tag: 'Conversations',
      id: 'previewTruncate',
      summary: 'See what removing everything after a message would do',
      description:
        'Nothing is changed. `executed_tool_calls` lists what those messages have already done outside, which stays done.',
      schema: { params: IdParams, querystring: TruncatePreviewQuery, response: { 200: Truncated } },
    }),
    (request) => turns.previewTruncate(workspaceOf(request), request.params.id, request.query.message_id),
  );

  app.delete(
    '/api/v1/conversations/:id',
    operation({
      ability: 'conversations:write',
      role: 'owner',
      tag: 'Conversations',
      id: 'deleteConversation',
      summary: 'Delete a conversation',
      description:
        'With its messages, events, trace, tool calls and approvals. A turn that is running is stopped first. Usage is kept for accounting, without the person and the conversation.',
      schema: { params: IdParams, response: { 200: Message } },
      errors: ['TURN_IN_PROGRESS', 'LEGAL_HOLD'],
    }),
    async (request) => {
      await turns.deleteConversation(workspaceOf(request), request.params.id);
      return { message: 'The conversation was deleted.' };
    },
  );
}

function requireUser(message: SendMessage): SendMessage & { external_user_id: string } {
  const { external_user_id } = message;
  if (external_user_id === undefined) {
    const details = [{ path: 'external_user_id', message: 'is required' }];
    throw new AppError('VALIDATION_FAILED', { message: 'external_user_id is required.', details });
  }
  return { ...message, external_user_id };
}

/** Whose limits a message of an end user counts against. */
export function senderOf(
  { workspaceId, externalUserId, caps }: EndUserPrincipal,
  request: FastifyRequest,
): Sender {
  return { workspaceId, externalUserId, caps, idempotencyKey: idempotencyKeyOf(request) };
}
