import { expect, it } from 'vitest';
import { isUnreached } from './unreached.ts';

const failure = (fields: object, cause?: Error) => Object.assign(new Error('x', { cause }), fields);

it.each([
  ['the port is closed', failure({ code: 'ECONNREFUSED', syscall: 'connect' })],
  ['there is no such host', failure({ code: 'ENOTFOUND', syscall: 'getaddrinfo' })],
  ['nothing answers', failure({ code: 'ETIMEDOUT', syscall: 'connect' })],
  ['the certificate is not valid', failure({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })],
  ['a library wraps it', failure({}, failure({}, failure({ code: 'UND_ERR_CONNECT_TIMEOUT' })))],
])('a request has not arrived when %s', (_what, error) => {
  expect(isUnreached(error)).toBe(true);
});

it.each([
  ['is cut', failure({ code: 'ECONNRESET', syscall: 'read' })],
  ['is left', new Error('aborted by the caller')],
  ['breaks while it is written', failure({ code: 'EPIPE', syscall: 'write' })],
  ['is nothing that we know', 'gone'],
])('a request may have been read when its connection %s', (_what, error) => {
  expect(isUnreached(error)).toBe(false);
});
