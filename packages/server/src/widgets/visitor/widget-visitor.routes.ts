import { Stopped, StopTurn } from '@svc/contract/chat';
import { IdParams } from '@svc/contract/common';
import { EndUserStreamedEvent } from '@svc/contract/end-user-events';
import { EndUserConversation, EndUserConversationDetail, VisitorMessage } from '@svc/contract/end-users';
import {
  VisitorStreamQuery,
  VisitorToken,
  VisitorTokenCreate,
  WidgetKeyQuery,
} from '@svc/contract/widget-visitor';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { endUserOf, widgetOf } from '../../http/access.ts';
import { lastEventId, lastEventIdHeader } from '../../http/conversation-streams.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { idempotencyKeyOf } from '../../http/idempotency.ts';
import { operationsOf } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import type { AcceptedTurn } from '../../turns/turns.service.ts';

const operation = operationsOf('Widgets');
const events = 'text/event-stream';
/** A message, or a few tokens. */
const bodyLimit = 256 * 1024;

/** What the widget on a page requests, with its public key and the token of its visitor. */
export function visitorRoutes(
  app: HttpApp,
  dependencies: Pick<
    Services,
    'conversationStreams' | 'idempotent' | 'concurrencyLimits' | 'sendStream' | 'visitors'
  >,
): void {
  const { visitors, conversationStreams, sendStream, idempotent, concurrencyLimits } = dependencies;
  /** Before the body is read. */
  const counted = { onRequest: (request: FastifyRequest) => visitors.countRequest(endUserOf(request)) };

  app.post(
    '/api/widget/token',
    {
      ...operation({
        ability: 'widget_key',
        id: 'createVisitorToken',
        summary: 'Issue a token for a visitor',
        description:
          'For a new visitor, for one that comes back (`renewal_token`), or for a user of the site whose id the site has signed (`user_id` and `user_hash`).',
        schema: { querystring: WidgetKeyQuery, body: VisitorTokenCreate, response: { 201: VisitorToken } },
        errors: ['BOT_INACTIVE'],
        bodyLimit: 16 * 1024,
      }),
      onRequest: (request: FastifyRequest) => visitors.countAddress(request.ip, widgetOf(request).keyId),
    },
    async (request, reply) =>
      reply.code(201).send(await visitors.issueToken(widgetOf(request), request.ip, request.body)),
  );

  app.post(
    '/api/widget/messages',
    {
      ...operation({
        ability: 'visitor_token',
        id: 'sendVisitorMessage',
        summary: 'Send a message and receive the reply as server-sent events',
        description:
          'Continues the latest conversation of the visitor unless the body says otherwise. The stream ends with the turn; `GET /api/widget/stream` joins it again.',
        produces: events,
        schema: {
          headers: lastEventIdHeader,
          querystring: WidgetKeyQuery,
          body: VisitorMessage,
          response: { 200: EndUserStreamedEvent },
        },
        errors: [
          'NOT_FOUND',
          'BOT_INACTIVE',
          'TURN_IN_PROGRESS',
          'INSUFFICIENT_BALANCE',
          'NO_MODEL_CONFIGURED',
          'MACHINE_OFFLINE',
          'WORKDIR_UNAVAILABLE',
        ],
        idempotent: true,
        bodyLimit,
      }),
      async onRequest(request: FastifyRequest) {
        const visitor = endUserOf(request);
        await visitors.countRequest(visitor);
        await visitors.refuseKnown(visitor, idempotencyKeyOf(request));
      },
    },
    async (request, reply) => {
      concurrencyLimits.whileOpen('streams', request, reply);
      const visitor = endUserOf(request);
      const idempotencyKey = idempotencyKeyOf(request);
      return sendStream<AcceptedTurn>(request, reply, {
        send: (given) => visitors.send(visitor, request.body, { ...given, idempotencyKey }),
        startOfRepeat: (accepted, lastSeen) => visitors.startOfRepeat(visitor, accepted, lastSeen),
      });
    },
  );

  app.get(
    '/api/widget/stream',
    {
      ...operation({
        ability: 'visitor_token',
        id: 'followVisitorConversation',
        summary: 'Follow a conversation as server-sent events',
        description:
          'Stays open. With `after` (or `Last-Event-ID`) what came after that event is sent first: nothing is missing or repeated.',
        produces: events,
        schema: {
          headers: lastEventIdHeader,
          querystring: VisitorStreamQuery,
          response: { 200: EndUserStreamedEvent },
        },
        errors: ['NOT_FOUND', 'BOT_INACTIVE'],
      }),
      ...counted,
    },
    async (request, reply) => {
      concurrencyLimits.whileOpen('streams', request, reply);
      const { conversation_id: conversationId, after } = request.query;
      const seen = lastEventId(request) ?? after;
      const start = await visitors.startOfReading(endUserOf(request), conversationId, seen);
      conversationStreams.readConversation(request, reply, { conversationId, after: start });
      return reply;
    },
  );

  app.get(
    '/api/widget/conversations',
    {
      ...operation({
        ability: 'visitor_token',
        id: 'listVisitorConversations',
        summary: "List the visitor's conversations",
        description: 'The newest 20, newest first.',
        schema: { querystring: WidgetKeyQuery, response: { 200: Type.Array(EndUserConversation) } },
        errors: ['BOT_INACTIVE'],
      }),
      ...counted,
    },
    (request) => visitors.listConversations(endUserOf(request)),
  );

  app.get(
    '/api/widget/conversations/:id',
    {
      ...operation({
        ability: 'visitor_token',
        id: 'getVisitorConversation',
        summary: 'Get a conversation with its messages',
        schema: {
          params: IdParams,
          querystring: WidgetKeyQuery,
          response: { 200: EndUserConversationDetail },
        },
        errors: ['BOT_INACTIVE'],
      }),
      ...counted,
    },
    (request) => visitors.getConversation(endUserOf(request), request.params.id),
  );

  app.post(
    '/api/widget/stop',
    {
      ...operation({
        ability: 'visitor_token',
        id: 'stopVisitorTurn',
        summary: 'Interrupt the turn of a conversation',
        description: 'The reply so far is kept, marked as interrupted.',
        schema: { querystring: WidgetKeyQuery, body: StopTurn, response: { 200: Stopped } },
        errors: ['NOT_FOUND', 'BOT_INACTIVE'],
        idempotent: true,
        bodyLimit: 16 * 1024,
      }),
      ...counted,
    },
    (request) =>
      idempotent<Stopped>(request, () => visitors.stop(endUserOf(request), request.body.conversation_id)),
  );
}
