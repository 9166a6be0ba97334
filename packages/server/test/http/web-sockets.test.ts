import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { Type } from 'typebox';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createFrontDoor } from '../../src/http/front-door.ts';
import { operation } from '../../src/http/operation.ts';
import { createHttpServer } from '../../src/http/server.ts';
import {
  createWebSockets,
  type WebSocketHandlers,
  type WebSocketLimits,
  type WebSocketPeer,
} from '../../src/http/web-sockets.ts';
import { AppError } from '../../src/lib/app-error.ts';
import { createLog } from '../../src/lib/log.ts';

const limits: WebSocketLimits = {
  maxFrameBytes: 1_000,
  maxUnreadBytes: 100_000,
  framesPerSecond: 1_000,
  bytesPerSecond: 1_000_000,
  pingEveryMs: 60_000,
};

let stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.toReversed()) await stop();
  stops = [];
});

/** A server whose /socket passes frames to these handlers, unless the query asks for a refusal. */
async function start(
  changes: Partial<WebSocketLimits> = {},
  handle: (peer: WebSocketPeer) => Partial<WebSocketHandlers> = () => ({}),
) {
  const door = createFrontDoor();
  const log = createLog({ level: 'silent', readable: false });
  const http = await createHttpServer({
    door,
    log,
    publicUrl: 'http://127.0.0.1',
    authenticator: {
      async authenticate({ url }) {
        if (url.includes('refused')) throw new AppError('UNAUTHORIZED');
      },
      authenticateAgain: async () => undefined,
      preflight: async () => undefined,
    },
    trustedProxies: [],
  });
  const accept = createWebSockets({ upgrades: door.upgrades, log })({ ...limits, ...changes });
  const common = { ability: 'none', tag: 'x', summary: 'x' } as const;
  http.get(
    '/socket',
    operation({ ...common, id: 'socket', schema: { response: { 101: Type.Null() } }, webSocket: true }),
    async (request, reply) => {
      accept(request, reply, (peer) => ({
        onFrame: () => undefined,
        onClose: () => undefined,
        ...handle(peer),
      }));
      return reply;
    },
  );
  const echo = operation({
    ...common,
    id: 'echo',
    schema: { body: Type.Object({ text: Type.String() }), response: { 200: Type.Unknown() } },
  });
  http.post('/echo', echo, ({ body }) => body);
  await http.ready();
  const { port } = await door.listen(0, '127.0.0.1');
  stops.push(async () => {
    await door.close(100);
    await http.close();
  });
  return { door, port, url: `http://127.0.0.1:${port}` };
}

async function open(port: number, options: { origin?: string } = {}): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`, options);
  socket.on('error', () => undefined);
  stops.push(() => socket.terminate());
  await once(socket, 'open');
  return socket;
}

const codeOf = async (socket: WebSocket) => ((await once(socket, 'close')) as [number, Buffer])[0];

const handshake = [
  'Host: x',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

/** What comes back until the server closes the connection, or until `enough` says so. */
async function exchange(port: number, lines: string[], enough = (_text: string) => false): Promise<string> {
  const socket = connectTcp(port, '127.0.0.1');
  stops.push(() => socket.destroy());
  socket.write(lines.join('\r\n'), 'latin1');
  let text = '';
  for await (const chunk of socket) {
    text += String(chunk);
    if (enough(text)) break;
  }
  return text;
}

/** The text `hi`, masked with zeros. */
const earlyFrame = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]).toString('latin1');

const get = (path: string, headers = handshake) => [`GET ${path} HTTP/1.1`, ...headers, '', ''];

describe('a handshake', () => {
  it('is refused like any other request, with the usual body', async () => {
    const { port } = await start();
    const text = await exchange(port, get('/socket?refused'));
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
    expect(text).toMatch(/\r\nconnection: close\r\n/i);
    expect(text).toContain('"code":"UNAUTHORIZED"');
  });

  it('from a website is refused unless the route allows it', async () => {
    const { port } = await start({ isAllowedOrigin: (origin) => origin === 'https://good.example' });
    expect(await exchange(port, get('/socket', [...handshake, 'Origin: https://bad.example']))).toMatch(
      /^HTTP\/1\.1 403 [^]*"code":"FORBIDDEN"/,
    );
    await open(port, { origin: 'https://good.example' });
  });

  it('for another path is an ordinary request on a connection that stays open', async () => {
    const { port } = await start();
    const socket = connectTcp(port, '127.0.0.1');
    stops.push(() => socket.destroy());
    for (const path of ['/nothing', '/echo']) {
      socket.write(get(path).join('\r\n'));
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 40[45] /);
    }
  });

  it('after a request that is not answered yet is not accepted', async () => {
    const { port } = await start();
    const text = await exchange(
      port,
      ['GET /nothing HTTP/1.1', 'Host: x', '', ...get('/socket')],
      (received) => received.includes('NOT_READY'),
    );
    expect(text).toMatch(/404 [^]* 503 /);
  });

  it.each([
    ['without one', ['Host: x', 'Connection: close']],
    [
      'with another version',
      [...handshake.filter((line) => !line.includes('Version')), 'Sec-WebSocket-Version: 8'],
    ],
    [
      'that a proxy has changed',
      handshake.map((line) => line.replace('Connection: Upgrade', 'Connection: close')),
    ],
    ['without a key', handshake.filter((line) => !line.includes('Key'))],
  ])('is required: a request %s gets 426', async (_name, headers) => {
    const { port } = await start();
    // Read until the server closes the connection, as a client that wanted that must not wait.
    const text = await exchange(port, get('/socket', headers));
    expect(text).toMatch(/^HTTP\/1\.1 426 /);
    expect(text).toMatch(/\r\nupgrade: websocket\r\n/i);
    expect(text).toContain('"code":"UPGRADE_REQUIRED"');
  });

  it('with a broken list of protocols gets 400', async () => {
    const { port } = await start();
    const text = await exchange(port, get('/socket', [...handshake, 'Sec-WebSocket-Protocol: ,,']));
    expect(text).toMatch(/^HTTP\/1\.1 400 [^]*"code":"VALIDATION_FAILED"/);
  });

  it('does not change requests that offer another protocol, as some HTTP clients do', async () => {
    const { port } = await start();
    const body = JSON.stringify({ text: 'kept' });
    const text = await exchange(
      port,
      [
        'POST /echo HTTP/1.1',
        'Host: x',
        'Connection: Upgrade, HTTP2-Settings',
        'Upgrade: h2c',
        'HTTP2-Settings: x',
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        '',
        body,
      ],
      (received) => received.includes(body),
    );
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('is refused with 503 by a node that drains, which does not wait for open sockets either', async () => {
    const { door, port } = await start();
    const socket = await open(port);
    door.drain();
    expect(await exchange(port, get('/socket'))).toMatch(/^HTTP\/1\.1 503 [^]*"code":"NOT_READY"/);
    await Promise.all([door.close(50), once(socket, 'close')]);
  });
});

describe('an open WebSocket', () => {
  it('exchanges frames, including those that came with the handshake', async () => {
    const { port } = await start({}, (peer) => ({ onFrame: (data) => peer.send(`got ${data.toString()}`) }));
    const lines = [...get('/socket').slice(0, -1), earlyFrame];
    const text = await exchange(port, lines, (received) => received.includes('got hi'));
    expect(text).toMatch(/^HTTP\/1\.1 101 [^]*\r\nx-request-id: [\w-]+\r\n/);
  });

  it('is disconnected when it is silent, but not when it answers pings', async () => {
    const { port } = await start({ pingEveryMs: 250 });
    const lively = await open(port);
    const silent = connectTcp(port, '127.0.0.1');
    silent.write(get('/socket').join('\r\n'));
    silent.resume();
    const startedAt = performance.now();
    await once(silent, 'close');
    expect(performance.now() - startedAt).toBeGreaterThan(250);
    expect(lively.readyState).toBe(WebSocket.OPEN);
  });

  it('is disconnected when it does not read, and its frames are not kept', async () => {
    let ended = false;
    let peer: WebSocketPeer | undefined;
    const { port } = await start({}, (opened) => {
      peer = opened;
      return { onClose: () => void (ended = true) };
    });
    const socket = await open(port);
    socket.pause();
    const megabyte = 'x'.repeat(1_000_000);
    for (let count = 0; count < 100 && !ended; count += 1) {
      peer?.send(megabyte);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(ended).toBe(true);
  });

  it('is read no faster than its limits', async () => {
    let count = 0;
    const { port } = await start({ framesPerSecond: 10 }, () => ({ onFrame: () => void (count += 1) }));
    const socket = await open(port);
    for (let sent = 0; sent < 1_000; sent += 1) socket.send('x'.repeat(1_000));
    await expect.poll(() => count).toBeGreaterThanOrEqual(50);
    await new Promise((resolve) => setTimeout(resolve, 300));
    // A burst, and what had already been read from the network.
    expect(count).toBeLessThan(300);
    expect(socket.readyState).toBe(WebSocket.OPEN);
  });

  it('is closed after a frame that is too large, or that its handler fails on', async () => {
    const { port } = await start({}, () => ({
      onFrame() {
        throw new Error('unexpected');
      },
    }));
    const large = await open(port);
    large.send('x'.repeat(1_001));
    expect(await codeOf(large)).toBe(1009);
    const failing = await open(port);
    failing.send('x');
    expect(await codeOf(failing)).toBe(1011);
  });

  it('is disconnected soon even if the other side does not confirm that it is closed', async () => {
    const { port } = await start({}, (peer) => ({ onFrame: () => peer.close(4_000, 'Enough.') }));
    const startedAt = performance.now();
    // Everything is read, and nothing is answered.
    expect(await exchange(port, [...get('/socket').slice(0, -1), earlyFrame])).toContain('Enough.');
    // The library alone would wait for 30 seconds.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});
