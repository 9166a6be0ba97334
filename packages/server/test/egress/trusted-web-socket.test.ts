import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { createTrustedLane } from '../../src/egress/trusted-lane.ts';
import type { LaneSocketEnd, LaneSocketOptions } from '../../src/egress/trusted-web-socket.ts';
import { patienceMs } from '../support/patience.ts';
import { testCertificate, testCertificateKey } from './certificate.ts';

let server: Server;
let secure: Server;
let url: string;
let arrived: { path: string; key: string | undefined; socket: WebSocket }[];
let lane = createTrustedLane();
const raw = new Set<Socket>();

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.method === 'GET') response.end();
    else response.writeHead(404).end();
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket: Socket, head) => {
    raw.add(socket);
    if (request.url === '/refused') return socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
    if (request.url === '/moved') return socket.end(`HTTP/1.1 302 Found\r\nlocation: ${url}/there\r\n\r\n`);
    if (request.url === '/silent') return undefined;
    return sockets.handleUpgrade(request, socket, head, (accepted) => {
      const key = request.headers['x-key'];
      arrived.push({ path: request.url ?? '', key: String(key), socket: accepted });
      if (request.url === '/echo')
        accepted.on('message', (data, isBinary) => accepted.send(data, { binary: isBinary }));
      if (request.url === '/huge') accepted.send(Buffer.alloc(2_000));
      if (request.url === '/dead') socket.pause();
      if (request.url === '/bye') accepted.close(4_008);
    });
  });
  server.listen(0, '127.0.0.1');
  secure = createSecureServer({ key: testCertificateKey, cert: testCertificate });
  secure.listen(0, '127.0.0.1');
  await Promise.all([once(server, 'listening'), once(secure, 'listening')]);
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  arrived = [];
});
afterEach(async () => {
  await lane.close();
  lane = createTrustedLane();
  arrived = [];
});
afterAll(async () => {
  for (const socket of raw) socket.destroy();
  for (const each of [server, secure]) {
    each.close();
    each.closeAllConnections();
    await once(each, 'close');
  }
  await lane.close();
});

/** Opens a socket and collects what it reports. */
function open(address: string, options: Partial<LaneSocketOptions> = {}) {
  const opened = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<LaneSocketEnd>();
  const messages: string[] = [];
  let arrivedNext = Promise.withResolvers<void>();
  const socket = lane.openWebSocket(new URL(address), {
    headers: { 'x-key': 'canary' },
    events: {
      onOpen: () => opened.resolve(),
      onMessage(message, isBinary) {
        messages.push(`${isBinary ? 'binary' : 'text'} ${message.toString()}`);
        arrivedNext.resolve();
        arrivedNext = Promise.withResolvers();
      },
      onClose: (end) => ended.resolve(end),
    },
    ...options,
  });
  return { socket, messages, opened: opened.promise, ended: ended.promise, next: () => arrivedNext.promise };
}

it('carries text and bytes both ways, with its headers', async () => {
  const { socket, messages, opened, next } = open(`${url}/echo`);
  socket.send('too early');
  await opened;
  let arriving = next();
  socket.send('hello');
  await arriving;
  arriving = next();
  socket.send(Buffer.from('bytes'));
  await arriving;
  expect(messages).toEqual(['text hello', 'binary bytes']);
  expect(arrived).toMatchObject([{ path: '/echo', key: 'canary' }]);
  const closed = once(arrived[0]?.socket as WebSocket, 'close');
  socket.close('goodbye');
  socket.close();
  socket.send('too late');
  expect(await closed).toEqual([1_000, Buffer.alloc(0)]);
  expect(messages).toHaveLength(2);
});

it.each([
  ['/refused', { status: 401, reason: 'answered with HTTP 401' }],
  ['/bye', { code: 4_008, reason: 'closed the connection (4008)' }],
  ['/huge', { reason: 'sent a message that is too long' }],
])('reports how it ended at %s', async (path, end) => {
  expect(await open(`${url}${path}`, { maxMessageBytes: 1_000 }).ended).toEqual(end);
});

it('follows no redirect, which would send the key', async () => {
  expect(await open(`${url}/moved`).ended).toMatchObject({ status: 302 });
  expect(arrived).toEqual([]);
});

it('gives up a handshake that takes too long', async () => {
  const end = await open(`${url}/silent`, { openWithinMs: 50 }).ended;
  expect(end).toEqual({ reason: 'could not be reached in time' });
});

it('ends when the other side stops answering', async () => {
  expect(await open(`${url}/dead`, { pingEveryMs: 30 }).ended).toEqual({ reason: 'stopped answering' });
});

it('ends when the other side does not read', async () => {
  const { socket, opened, ended } = open(`${url}/dead`, { maxUnsentBytes: 1_000_000 });
  await opened;
  for (let sent = 0; sent < 40; sent += 1) socket.send(Buffer.alloc(500_000));
  expect(await ended).toEqual({ reason: 'does not read what it is sent' });
});

it('encrypts where the address says so, and believes no certificate that it cannot check', async () => {
  const { port } = secure.address() as AddressInfo;
  const end = await open(`https://127.0.0.1:${port}/`).ended;
  expect(end).toEqual({ reason: 'has no valid certificate for its name' });
});

it('ends with the lane, and none is opened afterwards', async () => {
  const { opened, ended } = open(`${url}/echo`);
  await opened;
  await lane.close();
  expect((await ended).reason).toContain('stopping');
  expect((await open(`${url}/echo`).ended).reason).toContain('stopping');
});

it('warms a connection up that the next request uses', async () => {
  // Its own server: connections of other tests may arrive late, and this one must stay open.
  const own = createServer({ keepAliveTimeout: patienceMs }, (_request, response) => void response.end());
  let connections = 0;
  own.on('connection', () => {
    connections += 1;
  });
  own.listen(0, '127.0.0.1');
  await once(own, 'listening');
  const address = `http://127.0.0.1:${(own.address() as AddressInfo).port}`;
  const warm = once(own, 'request');
  await lane.warmUp(new URL(address));
  const [{ method, headers }] = await warm;
  expect({ method, authorization: headers.authorization }).toEqual({ method: 'GET' });
  const { signal } = new AbortController();
  const answer = await lane.post(new URL(`${address}/x`), { headers: {}, body: '', signal });
  answer.release();
  expect(connections).toBe(1);
  await lane.warmUp(new URL('http://127.0.0.1:1'));
  own.close();
  own.closeAllConnections();
});
