import type { LookupFunction } from 'node:net';
import { WebSocket } from 'ws';

/** What a WebSocket to a configured address reports, in order. Nothing is called after `onClose`. */
export interface LaneSocketEvents {
  onOpen(): void;
  onMessage(message: Buffer, isBinary: boolean): void;
  /** Called once, unless we closed it ourselves. */
  onClose(end: LaneSocketEnd): void;
}

export interface LaneSocketEnd {
  /** The status of a refused handshake. */
  status?: number;
  /** The other side's close code. */
  code?: number;
  /** What happened, as the end of a sentence that begins with the provider's name. No addresses and no secrets. */
  reason: string;
}

export interface LaneSocketOptions {
  headers: Readonly<Record<string, string>>;
  events: LaneSocketEvents;
  /** From the lookup of the name to the end of the handshake. */
  openWithinMs?: number;
  /** A larger message ends the connection. */
  maxMessageBytes?: number;
  /** More than this waiting to be sent ends the connection: the other side does not read. */
  maxUnsentBytes?: number;
  /** How often the other side must show that it is alive. */
  pingEveryMs?: number;
}

export type LaneSocket = ReturnType<typeof openTrustedWebSocket>;

const closeWithinMs = 1_000;

/** Redirects are not followed, because a key would be sent along. */
export function openTrustedWebSocket(url: URL, options: LaneSocketOptions, lookup: LookupFunction) {
  const { events, headers, openWithinMs = 5_000, pingEveryMs = 5_000 } = options;
  const { maxMessageBytes = 1024 * 1024, maxUnsentBytes = 1024 * 1024 } = options;
  const address = new URL(url);
  address.protocol = url.protocol === 'https:' || url.protocol === 'wss:' ? 'wss:' : 'ws:';
  const socket = new WebSocket(address, {
    headers,
    lookup,
    followRedirects: false,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
  });
  let isOver = false;
  let isAlive = true;
  let pings: NodeJS.Timeout | undefined;

  function stop(): void {
    isOver = true;
    clearTimeout(opening);
    clearInterval(pings);
  }
  function end(result: LaneSocketEnd): void {
    if (isOver) return;
    stop();
    socket.terminate();
    events.onClose(result);
  }
  const opening = setTimeout(() => end({ reason: 'could not be reached in time' }), openWithinMs);

  socket.on('open', () => {
    if (isOver) return;
    clearTimeout(opening);
    pings = setInterval(() => {
      if (!isAlive) return end({ reason: 'stopped answering' });
      isAlive = false;
      socket.ping();
    }, pingEveryMs).unref();
    events.onOpen();
  });
  socket.on('pong', () => {
    isAlive = true;
  });
  socket.on('message', (data, isBinary) => {
    isAlive = true;
    // With the default binary type a message is always one Buffer.
    if (!isOver) events.onMessage(data as Buffer, isBinary);
  });
  socket.on('unexpected-response', (request, response) => {
    request.destroy();
    end({ status: response.statusCode ?? 0, reason: `answered with HTTP ${response.statusCode ?? 0}` });
  });
  socket.on('error', (error: NodeJS.ErrnoException) => end({ reason: reasonOf(error) }));
  socket.on('close', (code) => end({ code, reason: `closed the connection (${code})` }));

  return {
    /** Does nothing before the socket is open or after it was closed. */
    send(message: string | Buffer): void {
      if (isOver || socket.readyState !== WebSocket.OPEN) return;
      if (socket.bufferedAmount > maxUnsentBytes) return end({ reason: 'does not read what it is sent' });
      socket.send(message);
    },
    /** Says goodbye; the connection is cut if the other side takes long to answer. Repeated calls do nothing. */
    close(lastMessage?: string): void {
      if (isOver) return;
      stop();
      if (socket.readyState !== WebSocket.OPEN) return socket.terminate();
      if (lastMessage !== undefined) socket.send(lastMessage);
      socket.close(1_000);
      const cut = setTimeout(() => socket.terminate(), closeWithinMs).unref();
      socket.once('close', () => clearTimeout(cut));
    },
    /** Cuts the connection without a word, and reports its end. */
    destroy: (): void => end({ reason: 'was cut off, because the service is stopping' }),
  };
}

const reasons: Record<string, string> = {
  ENOTFOUND: 'could not be found',
  EAI_AGAIN: 'could not be looked up',
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'closed the connection',
  EPIPE: 'closed the connection',
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: 'sent a message that is too long',
};

function reasonOf({ code = '' }: NodeJS.ErrnoException): string {
  if (/CERT|TLS|SSL|^EPROTO$|SIGNATURE/.test(code)) return 'has no valid certificate for its name';
  if (code.startsWith('WS_ERR_')) return reasons[code] ?? 'broke the WebSocket protocol';
  return reasons[code] ?? 'could not be reached';
}
