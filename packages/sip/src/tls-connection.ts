import type { TLSSocket } from 'node:tls';
import { createMessageReader } from './message/message-reader.ts';
import type { Peer } from './message/sip-message.ts';
import type { SipSocket } from './signalling.ts';
import type { SipLog, SipNetwork } from './sip-options.ts';
import { backoffMs, type SipTimers } from './sip-timers.ts';

/** The one connection to a trunk with TLS: requests of both sides go over it, whatever their destination. */
export interface TlsConnection extends SipSocket {
  /** Rejects if there is no connection, and none is being opened. */
  ready(): Promise<void>;
  /** The trunk does not answer: a new connection is opened. */
  reset(): void;
}

/** The connection to a trunk that does not read is closed. */
const maxUnsentBytes = 1_048_576;

export function createTlsConnection(options: {
  /** The name, or address, that the trunk's certificate must be for. */
  host: string;
  /** Certificates that are trusted instead of the system's. */
  ca: string | undefined;
  timers: Pick<SipTimers, 'backoff' | 'maxBackoff' | 'trunkAnswer'>;
  log: SipLog;
  openTls: SipNetwork['openTls'];
  /** Where the trunk is. */
  locate(): Promise<Peer>;
  /** There is no answer at this address. */
  onUnreachable(peer: Peer): void;
  /** Connected, from another local port than before. */
  onConnect(): void;
}): TlsConnection {
  const { host, ca, timers, log, openTls, locate, onUnreachable, onConnect } = options;
  let current: { socket: TLSSocket; peer: Peer } | undefined;
  let opening: Promise<void> | undefined;
  let retrying: NodeJS.Timeout | undefined;
  let failures = 0;
  let port = 0;
  let isClosed = false;
  let onMessage: ((data: Buffer, source: Peer) => void) | undefined;
  let onLost: (() => void) | undefined;
  start();

  function start(): void {
    opening = open();
    opening.catch((error: unknown) => retry(error)).finally(() => (opening = undefined));
  }

  function retry(error: unknown): void {
    if (isClosed) return;
    if (failures === 0) log.warn({ err: error }, 'There is no connection to the trunk; trying again.');
    failures += 1;
    retrying = setTimeout(start, backoffMs(timers, failures));
    retrying.unref();
  }

  async function open(): Promise<void> {
    const peer = await locate();
    const target = { ...peer, host, ca, limitMs: timers.trunkAnswer };
    const socket = await openTls(target).catch((error: unknown) => {
      onUnreachable(peer);
      throw error;
    });
    if (isClosed) return void socket.destroy();
    use(socket, peer);
  }

  function use(socket: TLSSocket, peer: Peer): void {
    const reader = createMessageReader({
      onMessage: (data) => onMessage?.(data, peer),
      onBroken(problem) {
        socket.destroy(new Error(`The trunk has sent a message that cannot be read: ${problem}.`));
      },
    });
    let failure: unknown;
    current = { socket, peer };
    port = socket.localPort ?? 0;
    failures = 0;
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 30_000);
    socket.on('data', (chunk: Buffer) => reader.read(chunk));
    socket.on('error', (error) => (failure = error));
    socket.on('close', () => {
      current = undefined;
      retry(failure ?? new Error('The connection was closed.'));
      onLost?.();
    });
    log.info('Connected to the trunk.');
    onConnect();
  }

  return {
    get port() {
      return port;
    },
    async ready() {
      if (opening) return opening;
      if (!current || current.socket.destroyed) throw new Error('There is no connection to the trunk.');
    },
    reset: () => void current?.socket.destroy(),
    onMessage(handler) {
      onMessage = handler;
    },
    onLost(handler) {
      onLost = handler;
    },
    send(data) {
      if (!current || current.socket.destroyed) return;
      current.socket.write(data);
      if (current.socket.writableLength > maxUnsentBytes) current.socket.destroy();
    },
    close() {
      isClosed = true;
      clearTimeout(retrying);
      // What was written before is still sent.
      current?.socket.destroySoon();
    },
  };
}
