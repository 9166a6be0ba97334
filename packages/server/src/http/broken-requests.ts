import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorCodes } from '@svc/contract/errors';
import { AppError } from '../lib/app-error.ts';
import { newId } from '../lib/new-id.ts';
import { toErrorBody } from './errors.ts';

const lingerMs = 5_000;

/** Answers what Node could not parse as a request with the usual error body. */
export function answerBrokenRequest(socket: Duplex, errorCode: string | undefined): void {
  if (errorCode === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const problem = (problems[errorCode ?? ''] ?? notHttp)();
  const { status } = errorCodes[problem.code];
  const requestId = newId();
  const body = JSON.stringify(toErrorBody(problem, requestId));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    ...(problem.code === 'METHOD_NOT_ALLOWED' ? ['Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'] : []),
    'Connection: close',
  ];
  // Closed after a delay, because a client that is still writing would otherwise lose the answer.
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.resume();
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

const problems: Record<string, () => AppError> = {
  ERR_HTTP_REQUEST_TIMEOUT: () => new AppError('REQUEST_TIMEOUT'),
  HPE_HEADER_OVERFLOW: () => new AppError('HEADERS_TOO_LARGE'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: () => new AppError('PAYLOAD_TOO_LARGE'),
  CONNECT: () =>
    new AppError('METHOD_NOT_ALLOWED', { message: 'This is not a proxy: there is no CONNECT here.' }),
};

const notHttp = () => new AppError('VALIDATION_FAILED', { message: 'The request is not well-formed HTTP.' });
