import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorCodes } from '@svc/contract/errors';
import { AppError } from '../lib/app-error.ts';
import { answerBrokenRequest } from './broken-requests.ts';
import { toErrorBody } from './errors.ts';
import { requestIdOf } from './request-id.ts';
import { createUpgrades } from './upgrades.ts';

export type FrontDoor = ReturnType<typeof createFrontDoor>;

/**
 * A request has to arrive in full within this time, even with five files over a slow line. Set here, because Fastify does
 * not set it on a server that it did not create.
 */
const requestTimeout = 300_000;

/** Longer than load balancers keep idle connections (60 s), so that none sends a request into one that we just closed. */
const keepAliveTimeout = 72_000;
/** Connections that may wait to be accepted: above it, the system makes clients retry for seconds. */
const backlog = 4_096;

export interface FrontDoorOptions {
  requestTimeoutMs?: number;
  /** How often connections are checked for requests that take too long. */
  lookEveryMs?: number;
}

/** Listens from the first moment, so that health checks can tell a starting service from a dead one. */
export function createFrontDoor({
  requestTimeoutMs = requestTimeout,
  lookEveryMs = 30_000,
}: FrontDoorOptions = {}) {
  let current: RequestListener = answerWhileStarting;
  let draining = false;
  let closing: Promise<void> | undefined;
  /** WebSocket handshakes on their way to a route. */
  const upgrades = createUpgrades();
  const underWay = new Set<ServerResponse>();
  /** The responses that each connection still waits for, in the order of their requests. */
  const awaited = new WeakMap<Duplex, Set<ServerResponse>>();
  const handle: RequestListener = (request, response) => {
    underWay.add(response);
    const ofSocket = awaited.get(request.socket) ?? new Set();
    awaited.set(request.socket, ofSocket.add(response));
    response.once('close', () => {
      underWay.delete(response);
      ofSocket.delete(response);
    });
    if (draining) response.shouldKeepAlive = false;
    if (isWithoutHost(request)) answer(response, new AppError('VALIDATION_FAILED', { message: hostMissing }));
    else current(request, response);
  };
  /** A node that drains accepts no new WebSockets, and a connection that still owes a response cannot become one. */
  function canUpgrade(request: IncomingMessage): boolean {
    const isBusy = (awaited.get(request.socket)?.size ?? 0) > 0;
    return !draining && !isBusy && upgrades.isAllowed(request);
  }
  // Node would answer requests without Host, or with an unknown Expect, with a bare status.
  const server = createServer(
    {
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: lookEveryMs,
      keepAliveTimeout,
      requireHostHeader: false,
      shouldUpgradeCallback: canUpgrade,
    },
    handle,
  );
  server.on('checkExpectation', handle);
  server.on('upgrade', (request, socket, head) => handle(request, upgrades.begin(request, socket, head)));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const open = [...(awaited.get(socket) ?? [])].filter((response) => !response.writableFinished);
    const [first, ...others] = open;
    // Anything written now would be read as part of the first response, or as all of it. A request that was complete, and may
    // have been carried out, must not get the error of a later one.
    const isAnothers = first !== undefined && (first.headersSent || first.req.complete || others.length > 0);
    if (isAnothers) socket.destroy();
    else answerBrokenRequest(socket, error.code);
  });
  // After CONNECT Node no longer handles errors of the socket: without a listener one would end the process.
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    answerBrokenRequest(socket, 'CONNECT');
  });
  /** Answers as before, but closes each connection after its response, so that clients move to other nodes. */
  function drain(): void {
    draining = true;
    // Responses in progress announce that the connection closes, so that clients do not reuse it.
    for (const response of underWay) response.shouldKeepAlive = false;
  }

  return {
    server,
    upgrades,
    /** Passes requests to the service from now on; before, only /healthz is answered. */
    open(listener: RequestListener): void {
      current = listener;
    },
    listen(port: number, host: string): Promise<{ port: number }> {
      return new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ port, host, backlog }, () => {
          server.off('error', reject);
          const address = server.address();
          resolve({ port: typeof address === 'object' && address ? address.port : port });
        });
      });
    },
    drain,
    /** Accepts no new connections, waits for requests in progress, and closes the rest after the grace period. */
    close(graceMilliseconds: number): Promise<void> {
      drain();
      closing ??= new Promise((resolve) => {
        const timer = setTimeout(() => {
          server.closeAllConnections();
          upgrades.destroyAll();
        }, graceMilliseconds);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      });
      return closing;
    },
  };
}

const hostMissing = 'An HTTP/1.1 request needs a Host header.';

function isWithoutHost({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.host === undefined;
}

/** Only /healthz is answered; everything else is not ready yet. */
export function answerWhileStarting(request: IncomingMessage, response: ServerResponse): void {
  if (request.url?.split('?')[0] === '/healthz') send(response, 200, { status: 'ok' }, requestIdOf(request));
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
