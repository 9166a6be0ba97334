import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { createKnownPaths } from './known-paths.ts';

/** A connection that its client wants to continue as a WebSocket. */
export interface Upgrade {
  socket: Duplex;
  /** What the client has already sent beyond its request. */
  head: Buffer;
}

export type Upgrades = ReturnType<typeof createUpgrades>;

/**
 * WebSocket handshakes pass through the same routes and checks as other requests, and are accepted only by their route, so that
 * until then they are answered like any other request. Handshakes for other paths are ordinary requests.
 */
export function createUpgrades() {
  const paths = createKnownPaths();
  const waiting = new WeakMap<IncomingMessage, Upgrade>();
  const sockets = new Set<Duplex>();

  return {
    /** The route at this path accepts WebSockets. */
    allow(path: string): void {
      paths.add('GET', path, { scheme: 'none' });
    },

    isAllowed(request: IncomingMessage): boolean {
      const [path = ''] = (request.url ?? '').split('?', 1);
      return isHandshake(request) && paths.methodsOf(path) !== undefined;
    },

    /** Node no longer manages this connection; the response is for an answer other than acceptance, and ends it. */
    begin(request: IncomingMessage, socket: Duplex, head: Buffer): ServerResponse {
      // Without a listener an error of the socket would end the process.
      socket.on('error', () => socket.destroy());
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      const response = new ServerResponse(request);
      response.assignSocket(request.socket);
      response.shouldKeepAlive = false;
      response.once('finish', () => request.socket.destroySoon());
      waiting.set(request, { socket, head });
      return response;
    },

    /** The connection of a handshake, for the code that accepts it; undefined for other requests. */
    take(request: IncomingMessage): Upgrade | undefined {
      const upgrade = waiting.get(request);
      waiting.delete(request);
      return upgrade;
    },

    /** Closing the server does not close these. */
    destroyAll(): void {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Whether the request is a complete WebSocket handshake, as RFC 6455 requires it. */
export function isHandshake({ method, httpVersion, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    httpVersion === '1.1' &&
    headers.host !== undefined &&
    /(?:^|,)\s*upgrade\s*(?:,|$)/i.test(headers.connection ?? '') &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['sec-websocket-version'] === '13' &&
    /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '')
  );
}
