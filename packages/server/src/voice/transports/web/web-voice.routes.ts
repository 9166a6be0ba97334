import {
  VisitorVoiceQuery,
  VisitorVoiceUsage,
  VoiceSession,
  VoiceSessionCreate,
  VoiceUsage,
  VoiceUsageQuery,
} from '@svc/contract/voice-sessions';
import { WidgetKeyQuery } from '@svc/contract/widget-visitor';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { endUserOf, widgetOf, workspaceOf } from '../../../http/access.ts';
import type { EndUserPrincipal, RevocablePerson } from '../../../http/end-user.ts';
import type { HttpApp } from '../../../http/http-app.ts';
import { idempotencyKeyOf } from '../../../http/idempotency.ts';
import { operationsOf } from '../../../http/operation.ts';
import type { Services } from '../../../services.ts';

const operation = operationsOf('Voice');

/** 50 frames of 20 ms a second, with a header; a second of audio may wait for a browser that reads slowly. */
const socketLimits = {
  maxFrameBytes: 2_048,
  maxUnreadBytes: 256 * 1024,
  framesPerSecond: 60,
  bytesPerSecond: 45_000,
  pingEveryMs: 5_000,
  // The widget key of the request has decided that already.
  isAllowedOrigin: () => true,
};

export interface WebVoiceRouteDependencies
  extends Pick<Services, 'idempotent' | 'openWebSockets' | 'watchKey' | 'webVoice'> {
  visitors: {
    countRequest(visitor: EndUserPrincipal): Promise<void>;
    countAddress(address: string, keyId: string): Promise<void>;
  };
  endUsers: { requireCurrent(person: RevocablePerson): Promise<void> };
}

/** Calls from the microphones of browsers. */
export function webVoiceRoutes(app: HttpApp, dependencies: WebVoiceRouteDependencies): void {
  const { webVoice, visitors, endUsers, idempotent, openWebSockets, watchKey } = dependencies;
  const counted = { onRequest: (request: FastifyRequest) => visitors.countRequest(endUserOf(request)) };

  app.post(
    '/api/widget/voice/sessions',
    {
      ...operation({
        ability: 'visitor_token',
        id: 'createVoiceSession',
        summary: 'Begin a call from a browser',
        description:
          'Connect within a minute at `/api/widget/voice/connect`. It counts as a message of the visitor. A visitor can have one call at a time.',
        schema: { querystring: WidgetKeyQuery, body: VoiceSessionCreate, response: { 201: VoiceSession } },
        errors: ['BOT_INACTIVE', 'INSUFFICIENT_BALANCE', 'VOICE_DISABLED'],
        idempotent: true,
        bodyLimit: 1024,
      }),
      ...counted,
    },
    async (request, reply) => {
      const visitor = endUserOf(request);
      const work = idempotent<VoiceSession>(request, (record) =>
        webVoice.start(visitor, idempotencyKeyOf(request), record),
      );
      return reply.code(201).send(await work);
    },
  );

  const accept = openWebSockets(socketLimits);
  app.get(
    '/api/widget/voice/connect',
    {
      ...operation({
        ability: 'widget_key',
        id: 'connectVoiceSession',
        summary: 'Connect a call from a browser by WebSocket',
        description:
          'For the widget. Both sides send 16-bit PCM at 16 kHz in binary frames; those of the browser begin with three 32-bit numbers that say how much it has played.',
        schema: { querystring: VisitorVoiceQuery, response: { 101: Type.Null() } },
        errors: ['NOT_FOUND', 'BOT_INACTIVE'],
        webSocket: true,
      }),
      // There is no visitor's token to count by: browsers send no headers with WebSockets.
      onRequest: (request: FastifyRequest) => visitors.countAddress(request.ip, widgetOf(request).keyId),
    },
    async (request, reply) => {
      const widget = widgetOf(request);
      const call = await webVoice.findToConnect(widget, request.query.session_token);
      const visitor = await webVoice.visitorOf(call);
      await endUsers.requireCurrent(visitor);
      accept(request, reply, (peer) =>
        webVoice.connect(call, widget, peer, (end) => watchKey(request, end, visitor)),
      );
      return reply;
    },
  );

  app.get(
    '/api/widget/voice/usage',
    {
      ...operation({
        ability: 'visitor_token',
        id: 'getVisitorVoiceUsage',
        summary: "How long the visitor's call has lasted",
        schema: { querystring: VisitorVoiceQuery, response: { 200: VisitorVoiceUsage } },
        errors: ['NOT_FOUND', 'BOT_INACTIVE'],
      }),
      ...counted,
    },
    (request) => webVoice.usageOfVisitor(endUserOf(request), request.query.session_token),
  );

  app.get(
    '/api/v1/voice/usage',
    operation({
      ability: 'voice:read',
      id: 'getVoiceUsage',
      summary: 'What a call from a browser has used',
      schema: { querystring: VoiceUsageQuery, response: { 200: VoiceUsage } },
      errors: ['NOT_FOUND'],
    }),
    (request) => webVoice.usage(workspaceOf(request), request.query.session_token),
  );
}
