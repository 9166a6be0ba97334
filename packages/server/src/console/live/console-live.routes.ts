import { Strict, Uuid } from '@svc/contract/common';
import { Type } from 'typebox';
import { memberOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { operation } from '../../http/operation.ts';
import type { OpenWebSockets } from '../../http/web-sockets.ts';
import type { LiveService } from './console-live.service.ts';

/** Consoles send little, and may be slow to read a long conversation. */
const socketLimits = {
  maxFrameBytes: 4 * 1024,
  maxUnreadBytes: 4 * 1024 * 1024,
  framesPerSecond: 20,
  bytesPerSecond: 16 * 1024,
  pingEveryMs: 15_000,
  // Requests by session come only from pages of the service itself: that is checked before.
  isAllowedOrigin: () => true,
};

export interface LiveRouteDependencies {
  live: LiveService;
  openWebSockets: OpenWebSockets;
}

export function liveRoutes(app: HttpApp, { live, openWebSockets }: LiveRouteDependencies): void {
  const accept = openWebSockets(socketLimits);
  app.get(
    '/api/console/live',
    operation({
      ability: 'session',
      tag: 'Console',
      id: 'connectConsole',
      summary: 'Follow a workspace by WebSocket',
      description:
        'For the console: what changes in the workspace, and the events of the conversations that it follows.',
      schema: { querystring: Strict({ workspace: Uuid }), response: { 101: Type.Null() } },
      webSocket: true,
    }),
    async (request, reply) => {
      const member = memberOf(request);
      accept(request, reply, (peer) => live.accept(member, peer));
      return reply;
    },
  );
}
