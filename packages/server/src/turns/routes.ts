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
import { IdParams } from '@svc/contract/common';
import { LoggedEvent, StreamedEvent } from '@svc/contract/events';
import { Truncate as TruncateBody, Truncated } from '@svc/contract/truncate';
import { Type } from 'typebox';
import { workspaceOf } from '../http/access.ts';
import { type ConversationStreams, lastEventId, lastEventIdHeader } from '../http/conversation-streams.ts';
import type { HttpApp } from '../http/http-app.ts';
import type { Idempotent } from '../http/idempotency.ts';
import { operation } from '../http/operation.ts';
import type { Places } from '../http/places.ts';
import type { AcceptedTurn, TurnService } from './service.ts';

const tag = 'Chat';
const events = 'text/event-stream';

export interface TurnRouteDependencies {
  /** The channel of messages that are sent here. */
  channel: Channel;
  turns: TurnService;
  conversationStreams: ConversationStreams;
  idempotent: Idempotent;
  places: Places;
}

export function turnRoutes(app: HttpApp, dependencies: TurnRouteDependencies): void {
  const { channel, turns, conversationStreams, idempotent, places } = dependencies;

  app.post(
    '/api/v1/chat/send-stream',
    operation({
      ability: 'chat:write',
      tag,
      id: 'sendMessage',
      summary: 'Send a message and receive the reply as server-sent events',
      description:
        'The stream ends when the turn completes, pauses, fails or is interrupted. Going away does not stop the turn: `GET /api/v1/chat/stream` joins it again. A repeat with the same Idempotency-Key attaches to the same turn: its events so far, or with `Last-Event-ID` those after that one, and then its further events.',
      produces: events,
      schema: { headers: lastEventIdHeader, body: SendMessage, response: { 200: StreamedEvent } },
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
    async (request, reply) => {
      places.whileOpen('streams', request, reply);
      const lastSeen = lastEventId(request);
      let isAttached = false;
      const attach = (accepted: AcceptedTurn, after?: number) => {
        isAttached = true;
        conversationStreams.readTurn(request, reply, accepted, after);
      };
      const accepted = await idempotent<AcceptedTurn>(request, (record) =>
        places.during('turns', request, () =>
          turns.send(workspaceOf(request), request.body, {
            channel,
            requestId: request.id,
            record,
            isRecorded: request.headers['idempotency-key'] !== undefined,
            onAdmitted: attach,
          }),
        ),
      );
      if (isAttached) return reply;
      // A repeated request: the turn already exists, and its events so far come from the log.
      const after = await turns.startOfRepeat(workspaceOf(request), accepted, lastSeen);
      if (after === 'all seen') conversationStreams.readNothing(reply);
      else attach(accepted, after);
      return reply;
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
      produces: events,
      schema: { headers: lastEventIdHeader, querystring: StreamQuery, response: { 200: StreamedEvent } },
      errors: ['NOT_FOUND'],
    }),
    async (request, reply) => {
      places.whileOpen('streams', request, reply);
      const { conversation_id: conversationId, after } = request.query;
      const seen = lastEventId(request) ?? after;
      const start = await turns.startOfReading(workspaceOf(request), request.query, seen);
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
      description: 'At most 1,000, oldest first; `after` is the id of the last event of the previous page.',
      schema: { querystring: EventsQuery, response: { 200: Type.Array(LoggedEvent) } },
      errors: ['NOT_FOUND'],
    }),
    (request) => turns.listEvents(workspaceOf(request), request.query, request.query.after ?? 0),
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
      schema: { body: StopTurn, response: { 200: Stopped } },
      errors: ['NOT_FOUND'],
      idempotent: true,
    }),
    (request) =>
      idempotent<Stopped>(request, () =>
        turns.stop(workspaceOf(request), request.body.conversation_id, 'api'),
      ),
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
      errors: ['TURN_IN_PROGRESS', 'MACHINE_OFFLINE', 'UPSTREAM_FAILED'],
      idempotent: true,
    }),
    (request) =>
      idempotent<Truncated>(request, () =>
        turns.truncate(workspaceOf(request), request.params.id, request.body),
      ),
  );
}
