import type { IncomingMessage } from 'node:http';
import {
  closeCodes,
  type HelloFrame,
  type MachineFrame,
  maxFrameBytes,
  operationNames,
  ServiceFrame,
  type WelcomeFrame,
} from '@svc/contract/machine-protocol';
import { Check } from 'typebox/schema';
import { WebSocket } from 'ws';
import { explain } from '../explained-error.ts';

export interface SocketOptions {
  url: string;
  key: string;
  hello: HelloFrame;
  onWelcome(machine: WelcomeFrame['machine']): void;
  onFrame(frame: Exclude<ServiceFrame, WelcomeFrame>): void;
  onTrouble(message: string): void;
  /** The service is taken for gone when nothing was heard for this long. */
  silenceMs?: number;
}

/** How a connection ended. If it is final, connecting again is pointless. */
export interface SocketEnd {
  reason: string;
  isFinal: boolean;
  /** The least time that the service wants to be left alone. */
  retryAfterMs: number;
}

export type MachineSocket = ReturnType<typeof openSocket>;

/** Progress is left out while this many bytes are waiting to be sent. */
const maxBufferedProgress = 4 * 1024 * 1024;
/** Results that wait beyond this are dropped with the connection; the service requests them again. */
const maxBufferedResults = 8 * maxFrameBytes;
const handshakeMs = 15_000;
/** How long the service may take to answer a goodbye. */
const goodbyeMs = 2_000;

/** One connection to the service, from the first attempt to its end. */
export function openSocket(options: SocketOptions) {
  const { url, key, hello, silenceMs = 30_000 } = options;
  const socket = new WebSocket(url, {
    headers: { authorization: `Bearer ${key}` },
    handshakeTimeout: handshakeMs,
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
    // The key must not follow a redirect to another host.
    followRedirects: false,
  });
  let isWelcome = false;
  let heardAt = performance.now();
  let watchedAt = { steady: performance.now(), wall: Date.now() };
  let end: SocketEnd | undefined;

  /** Only one of the clocks keeps running while a process is stopped or a machine sleeps, depending on the system. */
  function wasSuspended(): boolean {
    const { steady, wall } = watchedAt;
    return Math.max(performance.now() - steady, Date.now() - wall) > silenceMs;
  }

  /** Whether the connection is given up: frames that have waited that long may be about work that was given up too. */
  function endIfSuspended(): boolean {
    if (!wasSuspended()) return false;
    end ??= lost('this machine was suspended');
    socket.terminate();
    return true;
  }

  const watch = setInterval(() => {
    if (socket.readyState === WebSocket.OPEN && endIfSuspended()) return;
    watchedAt = { steady: performance.now(), wall: Date.now() };
    if (socket.readyState !== WebSocket.OPEN) return;
    if (performance.now() - heardAt < silenceMs) return socket.ping();
    end ??= lost(`nothing was heard from the service for ${Math.round(silenceMs / 1000)} seconds`);
    socket.terminate();
  }, silenceMs / 3);
  const heard = () => {
    heardAt = performance.now();
  };

  let greeting: NodeJS.Timeout | undefined;
  socket.on('open', () => {
    heard();
    socket.send(JSON.stringify(hello));
    greeting = setTimeout(() => {
      end ??= lost('the service did not welcome this machine');
      socket.terminate();
    }, handshakeMs);
  });
  socket.on('ping', heard);
  socket.on('pong', heard);
  socket.on('message', (data, isBinary) => {
    if (end || endIfSuspended()) return;
    heard();
    if (isBinary) return options.onTrouble('the service sent a binary frame; it was ignored.');
    // Text frames arrive as one buffer: other kinds of data must be requested.
    receive((data as Buffer).toString());
  });
  socket.on('unexpected-response', (request, response) => {
    end ??= endOfResponse(response, url);
    response.resume();
    request.destroy();
    socket.terminate();
  });
  socket.on('error', (error) => {
    end ??= lost(`the service cannot be reached (${explain(error)})`);
  });

  function receive(text: string): void {
    const parsed = parseFrame(text);
    if (parsed.kind === 'unknown') return options.onTrouble(parsed.fault);
    if (parsed.kind === 'refused') {
      options.onTrouble(parsed.fault);
      return send({ type: 'result', id: parsed.id, outcome: { status: 'error', message: parsed.fault } });
    }
    const { frame } = parsed;
    if (frame.type !== 'welcome') {
      if (isWelcome) options.onFrame(frame);
      return;
    }
    if (isWelcome) return;
    isWelcome = true;
    clearTimeout(greeting);
    options.onWelcome(frame.machine);
  }

  /** Nothing is sent unless the service has said welcome. */
  function send(frame: MachineFrame): void {
    if (!isWelcome || socket.readyState !== WebSocket.OPEN) return;
    if (frame.type === 'progress' && socket.bufferedAmount > maxBufferedProgress) return;
    socket.send(JSON.stringify(frame));
    if (socket.bufferedAmount <= maxBufferedResults) return;
    end ??= lost('the service does not read what it requested');
    socket.terminate();
  }

  return {
    send,
    /** Says goodbye; what was sent before still arrives. */
    close(): void {
      socket.close(1000, 'svc-machine is stopping');
      setTimeout(() => socket.terminate(), goodbyeMs).unref();
    },
    ended: new Promise<SocketEnd>((resolve) => {
      socket.on('close', (code, reason) => {
        clearInterval(watch);
        clearTimeout(greeting);
        resolve(end ?? endOfClose(code, reason.toString()));
      });
    }),
  };
}

function endOfClose(code: number, reason: string): SocketEnd {
  if (code === closeCodes.revoked) {
    return final('This machine was revoked: its key no longer works. Pair it again to get a new one.');
  }
  if (code === closeCodes.replaced) {
    return final('Another svc-machine connected with the same key. A key is for one machine.');
  }
  if (code === closeCodes.protocolError) {
    return final(
      `The service does not understand this svc-machine (${reason || 'no reason given'}): update it.`,
    );
  }
  const isRestart = code === 1012 || code === 1001;
  return lost(isRestart ? 'the service is restarting' : `the connection was lost (${code})`);
}

function endOfResponse({ statusCode = 0, headers }: IncomingMessage, url: string): SocketEnd {
  if (statusCode === 401) {
    return final('The service does not accept the key. It is wrong, or the machine was revoked.');
  }
  if (statusCode >= 300 && statusCode < 400) {
    return final(
      `The service redirects to ${headers.location ?? 'another address'}: give --url that address.`,
    );
  }
  if (statusCode === 404) {
    return lost(`there is no svc service with paired machines at ${new URL(url).host} (status 404)`);
  }
  if (statusCode === 426) {
    return lost('a proxy in front of the service does not pass on WebSockets (status 426)');
  }
  const seconds = Number(headers['retry-after']);
  const retryAfterMs = seconds > 0 ? Math.min(seconds, 300) * 1000 : 0;
  return lost(`the service answered with status ${statusCode}`, retryAfterMs);
}

function lost(reason: string, retryAfterMs = 0): SocketEnd {
  return { reason, isFinal: false, retryAfterMs };
}

function final(reason: string): SocketEnd {
  return { reason, isFinal: true, retryAfterMs: 0 };
}

type ParsedFrame =
  | { kind: 'frame'; frame: ServiceFrame }
  /** An operation that can be answered, but not carried out. */
  | { kind: 'refused'; id: string; fault: string }
  | { kind: 'unknown'; fault: string };

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** What the service sent; a newer service may send something that this daemon does not know. */
function parseFrame(text: string): ParsedFrame {
  let sent: unknown;
  try {
    sent = JSON.parse(text);
  } catch {
    return { kind: 'unknown', fault: 'the service sent something that is not JSON.' };
  }
  if (Check(ServiceFrame, sent)) return { kind: 'frame', frame: withPlainId(sent) };
  const { type, id, name } = (sent ?? {}) as Record<string, unknown>;
  if (type !== 'operation' || typeof id !== 'string' || !uuid.test(id)) {
    return { kind: 'unknown', fault: 'the service sent a frame that this version does not know.' };
  }
  const isKnown = operationNames.some((known) => known === name);
  const fault = isKnown
    ? 'The machine received a malformed operation.'
    : 'The svc-machine on this machine does not know this operation: update it.';
  return { kind: 'refused', id: id.toLowerCase(), fault };
}

/** Records are files named after ids, and some file systems ignore case. */
function withPlainId(frame: ServiceFrame): ServiceFrame {
  return frame.type === 'welcome' ? frame : { ...frame, id: frame.id.toLowerCase() };
}
