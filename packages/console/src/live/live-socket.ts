import { beatMilliseconds, type LiveMessage, type LiveRequest, signedOutCode } from '@svc/contract/live';

interface LiveSocketHandlers {
  onMessage(message: LiveMessage): void;
  /** The service answers, perhaps again: every conversation has to be followed again. */
  onOpen(): void;
  /** Lost, or not answered; `failures` in a row. */
  onLost(failures: number): void;
  /** The person is signed out, or no longer a member. The socket does not try again. */
  onSignedOut(): void;
}

interface LiveSocket {
  /** Nothing is sent while there is no connection: `onOpen` is the moment to send it again. */
  send(request: LiveRequest): void;
  /** Tries now instead of later: the network is back, or the page is visible again. */
  retry(): void;
  close(): void;
}

const silenceMilliseconds = 2 * beatMilliseconds + 2_000;

/** A WebSocket that is opened again whenever it is lost, or has been silent for too long. */
export function openLiveSocket(url: string, handlers: LiveSocketHandlers): LiveSocket {
  let socket: WebSocket | undefined;
  /** Being let in is not enough: proxies open sockets that carry nothing, and the service closes those it has no room for. */
  let isGreeted = false;
  let isClosed = false;
  let failures = 0;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let silenceTimer: ReturnType<typeof setTimeout> | undefined;

  function connect(): void {
    clearTimeout(retryTimer);
    retryTimer = undefined;
    const own = new WebSocket(url);
    socket = own;
    isGreeted = false;
    listenFor(own);
    own.addEventListener('message', ({ data }: MessageEvent<string>) => {
      if (socket !== own) return;
      listenFor(own);
      const message = JSON.parse(data) as LiveMessage;
      if (message.type === 'hello') {
        isGreeted = true;
        failures = 0;
        handlers.onOpen();
      }
      handlers.onMessage(message);
    });
    own.addEventListener('close', ({ code }) => {
      if (socket === own) lose(own, code);
    });
  }

  /** A connection that a sleeping computer or a lost network has killed is not reported as closed for minutes. */
  function listenFor(own: WebSocket): void {
    clearTimeout(silenceTimer);
    silenceTimer = setTimeout(() => lose(own), silenceMilliseconds);
  }

  function lose(own: WebSocket, code?: number): void {
    clearTimeout(silenceTimer);
    socket = undefined;
    own.close();
    if (isClosed) return;
    if (code === signedOutCode) {
      isClosed = true;
      return handlers.onSignedOut();
    }
    failures += 1;
    retryTimer = setTimeout(connect, backoff(failures));
    handlers.onLost(failures);
  }

  connect();
  return {
    send(request) {
      if (isGreeted && socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(request));
    },
    retry() {
      if (!isClosed && !socket) connect();
    },
    close() {
      isClosed = true;
      clearTimeout(retryTimer);
      clearTimeout(silenceTimer);
      const last = socket;
      socket = undefined;
      last?.close();
    },
  };
}

const firstMilliseconds = 500;
const maxMilliseconds = 15_000;

/** How long to wait before the next attempt: doubles up to a limit, and differs between consoles that lost the same service. */
function backoff(failures: number, random = Math.random): number {
  const most = Math.min(maxMilliseconds, firstMilliseconds * 2 ** Math.max(0, failures - 1));
  return most / 2 + (random() * most) / 2;
}
