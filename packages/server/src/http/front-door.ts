import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { errorCodes } from '@svc/contract/errors';
import { AppError } from '../app-error.ts';
import { answerBrokenRequest } from './broken-requests.ts';
import { toErrorBody } from './errors.ts';
import { requestIdOf } from './request-id.ts';

export interface FrontDoor {
  server: Server;
  /** From here on requests go to the service; before, only /healthz is answered. */
  open(listener: RequestListener): void;
  listen(port: number, host: string): Promise<{ port: number }>;
  /** Takes no new connection, waits for what is under way, cuts what is left after the grace period. */
  close(graceMilliseconds: number): Promise<void>;
}

/**
 * A request has to arrive in full within this time, five files over a slow line included. Fastify would not set it on a
 * server that it did not make.
 */
const requestTimeout = 300_000;

/** Longer than load balancers keep an idle connection (60 seconds): they would send a request into one that we just closed. */
const keepAliveTimeout = 72_000;
/** As many may come at once before we look: with fewer the system makes the others wait for seconds. */
const backlog = 4_096;

export interface FrontDoorOptions {
  requestTimeoutMs?: number;
  /** How often connections are looked at for requests that take too long. */
  lookEveryMs?: number;
}

/** Listens from the first moment, so that whoever watches can tell "starting" from "dead". */
export function createFrontDoor({
  requestTimeoutMs = requestTimeout,
  lookEveryMs = 30_000,
}: FrontDoorOptions = {}): FrontDoor {
  let current: RequestListener = (request, response) => answerWhileStarting(request.url, response);
  let closing: Promise<void> | undefined;
  const underWay = new Set<ServerResponse>();
  /** The answers that each connection still waits for, in the order in which they were asked for. */
  const awaited = new WeakMap<Duplex, Set<ServerResponse>>();
  const handle: RequestListener = (request, response) => {
    underWay.add(response);
    const ofSocket = awaited.get(request.socket) ?? new Set();
    awaited.set(request.socket, ofSocket.add(response));
    response.once('close', () => {
      underWay.delete(response);
      ofSocket.delete(response);
    });
    if (closing) response.shouldKeepAlive = false;
    if (isWithoutHost(request)) answer(response, new AppError('VALIDATION_FAILED', { message: hostMissing }));
    else current(request, response);
  };
  // Node would answer a request without a host, and one that expects what it does not know, with a status alone.
  const server = createServer(
    {
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: lookEveryMs,
      keepAliveTimeout,
      requireHostHeader: false,
    },
    handle,
  );
  server.on('checkExpectation', handle);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const open = [...(awaited.get(socket) ?? [])].filter((response) => !response.writableFinished);
    const [first, ...others] = open;
    // Whatever is written now is taken for a part of the first answer, or for all of it: a request that was complete, and may
    // have been acted on, is not to be told of what came behind it.
    const isAnothers = first !== undefined && (first.headersSent || first.req.complete || others.length > 0);
    if (isAnothers) socket.destroy();
    else answerBrokenRequest(socket, error.code);
  });
  // Asks for a tunnel, which we do not have. Node no longer listens to the connection then: a fault on it would be nobody's.
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    answerBrokenRequest(socket, 'CONNECT');
  });
  return {
    server,
    open(listener) {
      current = listener;
    },
    listen(port, host) {
      return new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ port, host, backlog }, () => {
          server.off('error', reject);
          const address = server.address();
          resolve({ port: typeof address === 'object' && address ? address.port : port });
        });
      });
    },
    close(graceMilliseconds) {
      closing ??= new Promise((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), graceMilliseconds);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
        // The answer tells its client that the connection ends with it, so that nobody waits for the next request.
        for (const response of underWay) response.shouldKeepAlive = false;
      });
      return closing;
    },
  };
}

const hostMissing = 'A request of HTTP/1.1 needs a Host header.';

function isWithoutHost({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.host === undefined;
}

function answerWhileStarting(url: string | undefined, response: ServerResponse): void {
  if (url?.split('?')[0] === '/healthz') send(response, 200, { status: 'ok' }, requestIdOf(response.req));
  else answer(response, new AppError('NOT_READY'));
}

function answer(response: ServerResponse, error: AppError): void {
  const requestId = requestIdOf(response.req);
  send(response, errorCodes[error.code].status, toErrorBody(error, requestId), requestId);
}

function send(response: ServerResponse, status: number, body: object, requestId: string): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': requestId,
  });
  response.end(JSON.stringify(body));
}
