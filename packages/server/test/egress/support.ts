import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { testCertificate, testCertificateKey } from './certificate.ts';

export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface OutsideServer {
  port: number;
  /** `http://127.0.0.1:port` */
  url: string;
  /** Everything received, in order. */
  received: Received[];
  /** How many connections were ever opened. */
  connections(): number;
  answerWith(listener: RequestListener): void;
  close(): Promise<void>;
}

interface Options {
  host?: string;
  port?: number;
  secure?: boolean;
}

/** A server for tools to call, on real sockets, that records what it received. */
export async function startOutsideServer(options: Options = {}): Promise<OutsideServer> {
  const { host = '127.0.0.1', port = 0, secure = false } = options;
  const received: Received[] = [];
  let connections = 0;
  let answer: RequestListener = (_request, response) => response.end('hello');
  const listener: RequestListener = (request, response) => {
    void readBody(request).then((body) => {
      const { method = '', url: path = '', headers } = request;
      received.push({ method, path, headers, body });
      return answer(request, response);
    });
  };
  const server: Server = secure
    ? createSecureServer({ key: testCertificateKey, cert: testCertificate }, listener)
    : createServer(listener);
  // Closing an idle connection just as a request arrives on it would fail that request.
  server.keepAliveTimeout = 240_000;
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { port: listeningPort } = server.address() as AddressInfo;
  return {
    port: listeningPort,
    url: `http://127.0.0.1:${listeningPort}`,
    received,
    connections: () => connections,
    answerWith(next) {
      answer = next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}
