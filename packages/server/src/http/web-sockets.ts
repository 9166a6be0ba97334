import type { FastifyReply, FastifyRequest } from 'fastify';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { AppError } from '../lib/app-error.ts';
import type { Log } from '../lib/log.ts';
import { createTokenBucket } from '../lib/token-bucket.ts';
import { answerBrokenRequest } from './broken-requests.ts';
import { isHandshake, type Upgrades } from './upgrades.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route accepts WebSockets. */
    webSocket?: boolean;
  }
}

export interface WebSocketLimits {
  /** The largest frame that the other side may send. */
  maxFrameBytes: number;
  /** How much the other side may leave unread before it is disconnected. */
  maxUnreadBytes: number;
  /** How fast the other side may send for long. Above that its connection is read more slowly. */
  framesPerSecond: number;
  bytesPerSecond: number;
  /** How often the other side is pinged. It is disconnected when nothing came from it during two of these intervals. */
  pingEveryMs: number;
  /** Which websites may connect; by default none, so that only programs can. */
  isAllowedOrigin?: (origin: string) => boolean;
}

/** The other side of an open WebSocket. Calls after its end do nothing. */
export interface WebSocketPeer {
  /** Text as a text frame, bytes as a binary one. */
  send(data: string | Buffer): void;
  /** Resolves when everything that was sent has left this process, or the connection has ended. */
  drained(): Promise<void>;
  /** The reason must be at most 123 bytes long. A peer that does not confirm is disconnected anyway. */
  close(code: number, reason: string): void;
}

export interface WebSocketHandlers {
  onFrame(data: Buffer, isBinary: boolean): void;
  /** Called once, however the connection ends. */
  onClose(): void;
}

/** Turns a request into a WebSocket; throws what any other request gets if it cannot. */
export type AcceptWebSocket = (
  request: FastifyRequest,
  reply: FastifyReply,
  open: (peer: WebSocketPeer) => WebSocketHandlers,
) => void;

/** WebSockets with these limits, for one route or several. */
export type OpenWebSockets = (limits: WebSocketLimits) => AcceptWebSocket;

/** Frames of a quiet connection may come in bursts of this many seconds' worth. */
const burstSeconds = 5;
/** How long the other side has to confirm that a connection is closed. */
const closeMilliseconds = 500;
const internalError = 1011;

export interface WebSocketDependencies {
  upgrades: Upgrades;
  log: Log;
  /** Called with 1 when a connection opens and with -1 when it has ended. */
  onCount?: (change: 1 | -1) => void;
}

export function createWebSockets({ upgrades, log, onCount }: WebSocketDependencies): OpenWebSockets {
  return (limits) => {
    const server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: limits.maxFrameBytes,
      // Compressed frames could be far larger than what was received.
      perMessageDeflate: false,
      // Other connections are served after each frame.
      allowSynchronousEvents: false,
      autoPong: false,
      handleProtocols: () => false,
    });
    server.on('wsClientError', (_error, socket) => answerBrokenRequest(socket, undefined));
    const pings = createPings(limits.pingEveryMs);

    return (request, reply, open) => {
      const { raw } = request;
      requireAllowedOrigin(raw.headers.origin, limits);
      const upgrade = upgrades.take(raw);
      // A node that is stopping reads handshakes as ordinary requests.
      if (!upgrade) throw new AppError(isHandshake(raw) ? 'NOT_READY' : 'UPGRADE_REQUIRED');
      reply.hijack();
      const addHeaders = (lines: string[]) => void lines.push(...headersToKeep(reply));
      server.once('headers', addHeaders);
      server.handleUpgrade(raw, upgrade.socket, upgrade.head, (socket) => {
        const connection = connect(socket, limits, log, open);
        pings.add(connection);
        onCount?.(1);
        socket.once('close', () => {
          pings.remove(connection);
          onCount?.(-1);
        });
      });
      // A handshake that fails has not used it.
      server.off('headers', addHeaders);
    };
  };
}

/** The headers that every response has: the id of the request, and the rate where there is a limit. */
function headersToKeep(reply: FastifyReply): string[] {
  return Object.entries(reply.getHeaders())
    .filter(([name]) => name === 'x-request-id' || name.startsWith('ratelimit-'))
    .map(([name, value]) => `${name}: ${String(value)}`);
}

function requireAllowedOrigin(origin: string | undefined, { isAllowedOrigin }: WebSocketLimits): void {
  if (origin === undefined || isAllowedOrigin?.(origin)) return;
  throw new AppError('FORBIDDEN', { message: 'Pages of this website may not connect here.' });
}

interface Connection {
  socket: WebSocket;
  wasHeard: boolean;
}

function connect(
  socket: WebSocket,
  limits: WebSocketLimits,
  log: Log,
  open: (peer: WebSocketPeer) => WebSocketHandlers,
): Connection {
  const { framesPerSecond, bytesPerSecond, maxUnreadBytes } = limits;
  const connection: Connection = { socket, wasHeard: true };
  const frames = createTokenBucket({ perSecond: framesPerSecond, capacity: framesPerSecond * burstSeconds });
  const bytes = createTokenBucket({ perSecond: bytesPerSecond, capacity: bytesPerSecond * burstSeconds });
  let unsent = 0;
  let drained: (() => void)[] = [];
  let resuming: NodeJS.Timeout | undefined;
  let disconnecting: NodeJS.Timeout | undefined;

  /** Whether the other side keeps reading; if not, it is disconnected. Only what was unread before counts. */
  function hasRoom(): boolean {
    if (socket.readyState !== socket.OPEN) return false;
    if (socket.bufferedAmount <= maxUnreadBytes) return true;
    socket.terminate();
    return false;
  }

  /** Stops reading for as long as the other side was too fast. */
  function note(size: number): void {
    connection.wasHeard = true;
    const pause = Math.max(frames.take(1), bytes.take(size));
    if (pause === 0) return;
    socket.pause();
    clearTimeout(resuming);
    resuming = setTimeout(() => {
      connection.wasHeard = true;
      socket.resume();
    }, pause);
  }

  /** Called even if the frame could not be sent. */
  function noteSent(): void {
    unsent -= 1;
    if (unsent === 0) resolveDrained();
  }

  function resolveDrained(): void {
    const callbacks = drained;
    drained = [];
    for (const callback of callbacks) callback();
  }

  function close(code: number, reason: string): void {
    socket.close(code, reason);
    disconnectSoon();
  }

  function disconnectSoon(): void {
    disconnecting ??= setTimeout(() => socket.terminate(), closeMilliseconds).unref();
  }

  function guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      log.error({ err: error }, 'Handling a WebSocket frame failed.');
      close(internalError, 'Something went wrong on our side.');
    }
  }

  const handlers = open({
    send(data) {
      if (!hasRoom()) return;
      unsent += 1;
      socket.send(data, noteSent);
    },
    drained() {
      const isDone = unsent === 0 || socket.readyState !== socket.OPEN;
      return isDone ? Promise.resolve() : new Promise((resolve) => drained.push(resolve));
    },
    close,
  });

  socket.on('message', (data: RawData, isBinary: boolean) => {
    // With the default binary type a frame is always one Buffer.
    const frame = data as Buffer;
    note(frame.length);
    if (socket.readyState === socket.OPEN) guarded(() => handlers.onFrame(frame, isBinary));
  });
  socket.on('ping', (data) => {
    note(data.length);
    if (hasRoom()) socket.pong(data);
  });
  socket.on('pong', (data) => note(data.length));
  // The library itself closes the connection after frames that break the protocol or a limit.
  socket.on('error', disconnectSoon);
  socket.once('close', () => {
    clearTimeout(resuming);
    clearTimeout(disconnecting);
    resolveDrained();
    guarded(handlers.onClose);
  });
  return connection;
}

/** Disconnects those that are silent. There is no timer while nothing is connected. */
function createPings(everyMs: number) {
  const connections = new Set<Connection>();
  let timer: NodeJS.Timeout | undefined;

  function ping(): void {
    for (const connection of connections) {
      const { socket, wasHeard } = connection;
      const isPaused = socket.isPaused;
      if (!wasHeard && !isPaused) socket.terminate();
      else if (socket.readyState === socket.OPEN) socket.ping();
      connection.wasHeard = false;
    }
  }

  return {
    add(connection: Connection): void {
      connections.add(connection);
      timer ??= setInterval(ping, everyMs).unref();
    },
    remove(connection: Connection): void {
      connections.delete(connection);
      if (connections.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    },
  };
}
