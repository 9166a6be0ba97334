import { Attachment } from '@svc/contract/attachments';
import { Branch } from '@svc/contract/branches';
import { RateAnswer, Stopped, StopTurn, Typing } from '@svc/contract/chat';
import { IdParams, Message } from '@svc/contract/common';
import { VisitorDetails } from '@svc/contract/end-user-details';
import { EndUserStreamedEvent } from '@svc/contract/end-user-events';
import { EndUserConversation, EndUserConversationDetail, VisitorMessage } from '@svc/contract/end-users';
import {
  VisitorBranchChoice,
  VisitorBranchQuery,
  VisitorStreamQuery,
  VisitorToken,
  VisitorTokenCreate,
  WidgetKeyQuery,
} from '@svc/contract/widget-visitor';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { endUserOf, widgetOf } from '../../http/access.ts';
import { attachmentForm, attachmentFormLimits } from '../../http/attachment-form.ts';
import { lastEventId, lastEventIdHeader } from '../../http/conversation-streams.ts';
import { withForms } from '../../http/form.ts';
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
export async function visitorRoutes(
  app: HttpApp,
  dependencies: Pick<
    Services,
    'conversationStreams' | 'idempotent' | 'concurrencyLimits' | 'sendDownload' | 'sendStream' | 'visitors'
  >,
): Promise<void> {
  const { visitors, conversationStreams, sendDownload, sendStream, idempotent, concurrencyLimits } =
    dependencies;
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
          'BRANCH_REFUSED',
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

  app.post(
    '/api/widget/visitor',
    {
      ...operation({
        ability: 'visitor_token',
        id: 'saveVisitorDetails',
        summary: 'Say who the visitor is and where they are',
        description:
          'For visitors who have written to the bot: their name and email, if they gave them, and the page that they are on. The browser is that of the request. The team sees all of it, and nobody has verified it.',
        schema: { querystring: WidgetKeyQuery, body: VisitorDetails, response: { 200: Message } },
        errors: ['NOT_FOUND', 'BOT_INACTIVE'],
        idempotent: true,
        bodyLimit: 16 * 1024,
      }),
      async onRequest(request: FastifyRequest) {
        const visitor = endUserOf(request);
        await visitors.countRequest(visitor);
        await visitors.countDetails(visitor);
      },
    },
    (request) =>
      idempotent<Message>(request, async () => {
        const { body, headers } = request;
        await visitors.saveDetails(endUserOf(request), widgetOf(request), body, headers['user-agent']);
        return { message: 'The details were saved.' };
      }),
  );

  await withForms(app, attachmentFormLimits, (scope) => {
    scope.post(
      '/api/widget/attachments',
      {
        ...operation({
          ability: 'visitor_token',
          id: 'uploadVisitorAttachment',
          summary: 'Upload a file for a message',
          description:
            'An image or a PDF, to be named in `attachments` of a message, where the widget allows that. What is not sent within an hour is deleted.',
          schema: { querystring: WidgetKeyQuery, body: attachmentForm, response: { 201: Attachment } },
          errors: ['BOT_INACTIVE'],
          idempotent: true,
        }),
        onRequest: (request: FastifyRequest) => visitors.countUpload(endUserOf(request), request.ip),
      },
      async (request, reply) => {
        const upload = () => visitors.upload(endUserOf(request), request.body.files[0]);
        return reply.code(201).send(await idempotent<Attachment>(request, upload));
      },
    );
  });

  app.get(
    '/api/widget/attachments/:id',
    {
      ...operation({
        ability: 'visitor_token',
        id: 'getVisitorAttachment',
        summary: 'Download a file that the visitor has sent',
        produces: 'application/octet-stream',
        schema: {
          params: IdParams,
          querystring: WidgetKeyQuery,
          response: { 200: Type.Unsafe<Buffer>({ format: 'binary' }) },
        },
        errors: ['BOT_INACTIVE'],
      }),
      ...counted,
    },
    async (request, reply) => {
      const { attachment, chunks } = await visitors.openAttachment(endUserOf(request), request.params.id);
      const { name: filename, media_type: type } = attachment;
      // Each user may have a few: strangers must not use up the lists of the workspace.
      return sendDownload(reply, { content: { chunks }, type, filename, countsAs: 'streams' });
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

  app.get(
    '/api/widget/branches',
    {
      ...operation({
        ability: 'visitor_token',
        id: 'listVisitorBranches',
        summary: 'List the branches of a conversation, oldest first',
        description:
          'Branches with the same `after_message_id` are alternatives of each other, of which one is current.',
        schema: { querystring: VisitorBranchQuery, response: { 200: Type.Array(Branch) } },
        errors: ['NOT_FOUND', 'BOT_INACTIVE'],
      }),
      ...counted,
    },
    (request) => visitors.listBranches(endUserOf(request), request.query.conversation_id),
  );

  app.post(
    '/api/widget/branches',
    {
      ...operation({
        ability: 'visitor_token',
        id: 'chooseVisitorBranch',
        summary: 'Choose the branch with which a conversation continues',
        description: 'The current one of its place is put aside. Readers get `conversation.branched`.',
        schema: {
          querystring: WidgetKeyQuery,
          body: VisitorBranchChoice,
          response: { 200: Message },
        },
        errors: ['NOT_FOUND', 'BOT_INACTIVE', 'BRANCH_REFUSED', 'TURN_IN_PROGRESS'],
        idempotent: true,
        bodyLimit: 16 * 1024,
      }),
      async onRequest(request: FastifyRequest) {
        const visitor = endUserOf(request);
        await visitors.countRequest(visitor);
        await visitors.countChange(visitor);
      },
    },
    (request) =>
      idempotent<Message>(request, async () => {
        await visitors.chooseBranch(endUserOf(request), request.body);
        return { message: 'The conversation continues with this branch.' };
      }),
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

  app.post(
    '/api/widget/rating',
    {
      ...operation({
        ability: 'visitor_token',
        id: 'rateVisitorMessage',
        summary: 'Rate an answer of the bot',
        description:
          'The latest rating counts; null takes it back. With `down` the visitor can say what was wrong, which only the team sees.',
        schema: { querystring: WidgetKeyQuery, body: RateAnswer, response: { 200: Message } },
        errors: ['NOT_FOUND', 'BOT_INACTIVE'],
        idempotent: true,
        bodyLimit: 16 * 1024,
      }),
      async onRequest(request: FastifyRequest) {
        const visitor = endUserOf(request);
        await visitors.countRequest(visitor);
        await visitors.countChange(visitor);
      },
    },
    (request) =>
      idempotent<Message>(request, async () => {
        await visitors.rate(endUserOf(request), request.body);
        return { message: 'The rating was saved.' };
      }),
  );

  app.post(
    '/api/widget/typing',
    {
      ...operation({
        ability: 'visitor_token',
        id: 'reportVisitorTyping',
        summary: 'Say that the visitor is writing a message',
        description:
          'People of the team see it while the conversation waits for a person; otherwise nothing happens. More than once in two seconds has no further effect.',
        schema: { querystring: WidgetKeyQuery, body: Typing, response: { 204: Type.Null() } },
        errors: ['NOT_FOUND', 'BOT_INACTIVE'],
        idempotent: true,
        bodyLimit: 16 * 1024,
      }),
      ...counted,
    },
    async (request, reply) => {
      await idempotent<null>(request, async () => {
        await visitors.noteTyping(endUserOf(request), request.body.conversation_id);
        return null;
      });
      return reply.code(204).send(null);
    },
  );
}
