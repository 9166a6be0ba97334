import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { testCertificate, testCertificateKey } from '../../egress/certificate.ts';

export interface FakeProvider {
  /** `http://127.0.0.1:port` */
  url: string;
  /** The sockets that are open now, oldest first. */
  sockets: Set<WebSocket>;
  /** Every handshake and request so far. */
  received: { method: string; url: URL; headers: IncomingMessage['headers']; body: string }[];
  close(): Promise<void>;
}

interface Handlers {
  /** With a certificate that is not trusted unless configured. */
  isSecure?: boolean;
  /** A status that is not 200 refuses. */
  statusOf(request: IncomingMessage): number;
  onRequest(url: URL, body: string, response: ServerResponse): void;
  onSocket(url: URL, socket: WebSocket): void;
}

/** The sockets of a stand-in for a speech provider. */
export async function startFakeProvider(handlers: Handlers): Promise<FakeProvider> {
  const received: FakeProvider['received'] = [];
  const sockets = new Set<WebSocket>();
  const raw = new Set<Socket>();
  const urlOf = (request: IncomingMessage) => new URL(request.url ?? '/', 'http://fake');
  const note = (request: IncomingMessage, body: string) => {
    const { method = '', headers } = request;
    received.push({ method, url: urlOf(request), headers, body });
  };
  const answer: RequestListener = (request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      // What only opens a connection needs no key.
      if (request.url === '/') return response.end();
      note(request, body);
      const status = handlers.statusOf(request);
      if (status === 200) return handlers.onRequest(urlOf(request), body, response);
      return response.writeHead(status, { 'content-type': 'application/json' }).end('{"detail":{}}');
    });
  };
  const server = handlers.isSecure
    ? createSecureServer({ key: testCertificateKey, cert: testCertificate }, answer)
    : createServer(answer);
  const upgrades = new WebSocketServer({ noServer: true });
  server.on('connection', (socket: Socket) => {
    raw.add(socket);
    socket.on('close', () => raw.delete(socket));
  });
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    note(request, '');
    const status = handlers.statusOf(request);
    if (status !== 200) return socket.end(`HTTP/1.1 ${status} Refused\r\nconnection: close\r\n\r\n`);
    return upgrades.handleUpgrade(request, socket, head, (accepted) => {
      sockets.add(accepted);
      accepted.on('close', () => sockets.delete(accepted));
      accepted.on('error', () => sockets.delete(accepted));
      handlers.onSocket(urlOf(request), accepted);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${handlers.isSecure ? 'https' : 'http'}://127.0.0.1:${port}`,
    sockets,
    received,
    async close() {
      for (const socket of sockets) socket.terminate();
      for (const socket of raw) socket.destroy();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}
