import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { errorCodes } from '@svc/contract/errors';
import { AppError } from '../app-error.ts';
import { newId } from '../new-id.ts';
import { toErrorBody } from './errors.ts';

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

/** Listens from the first moment, so that whoever watches can tell "starting" from "dead". */
export function createFrontDoor(): FrontDoor {
  let current: RequestListener = (request, response) => answerWhileStarting(request.url, response);
  let closing: Promise<void> | undefined;
  const underWay = new Set<ServerResponse>();
  const server = createServer({ requestTimeout }, (request, response) => {
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
    if (closing) response.shouldKeepAlive = false;
    current(request, response);
  });
  return {
    server,
    open(listener) {
      current = listener;
    },
    listen(port, host) {
      return new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
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

function answerWhileStarting(url: string | undefined, response: ServerResponse): void {
  const requestId = newId();
  const alive = url?.split('?')[0] === '/healthz';
  const body = alive ? { status: 'ok' } : toErrorBody(new AppError('NOT_READY'), requestId);
  response.writeHead(alive ? 200 : errorCodes.NOT_READY.status, {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': requestId,
  });
  response.end(JSON.stringify(body));
}
