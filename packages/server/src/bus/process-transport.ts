import { waitAtMost } from '../lib/wait-at-most.ts';
import type { Transport, TransportHandlers } from './bus-transport.ts';
import type { HubMessage, HubRequest, ProcessHub } from './process-hub.ts';
import { createProcessOutbox, maxWaitingCharacters, type Post } from './process-outbox.ts';

export interface ProcessTransport extends Transport {
  /** Takes what the hub sent. */
  receive(messages: readonly HubMessage[]): void;
  /** The hub is gone and does not come back. */
  disconnect(): void;
}

export interface ProcessTransportOptions {
  reach: string;
  post: Post<HubRequest>;
  /** How much may wait while the hub does not read, in characters. */
  maxWaiting?: number;
}

const closeMilliseconds = 1_000;

/** Carries texts to the other processes of this machine, through the hub in their supervisor. */
export function createProcessTransport(options: ProcessTransportOptions): ProcessTransport {
  const { reach, post, maxWaiting = maxWaitingCharacters } = options;
  const outbox = createProcessOutbox({
    post,
    maxWaiting,
    // The bus knows that some of its texts could not be sent, and tells the other processes.
    onRoom: () => handlers?.onConnected(reach),
  });
  /** What waits for an answer; the hub answers in order. */
  const waiting: ((receivers: number | undefined) => void)[] = [];
  let handlers: TransportHandlers | undefined;
  let isConnected = true;

  function answer(): Promise<number | undefined> {
    return new Promise((resolve) => void waiting.push(resolve));
  }

  function handle(message: HubMessage): void {
    if (message[0] === 'text') handlers?.onText(message[1], message[2]);
    else if (message[0] === 'receivers') waiting.shift()?.(message[1]);
    else handlers?.onConnected(reach);
  }

  function disconnect(): void {
    if (!isConnected) return;
    isConnected = false;
    handlers?.onDisconnected();
    for (const resolve of waiting.splice(0)) resolve(undefined);
  }

  return {
    start(given) {
      handlers = given;
      queueMicrotask(() => isConnected && given.onConnected(reach));
    },
    async send(channel, text) {
      if (!isConnected || !outbox.offer(['send', channel, text], text.length)) return undefined;
      return answer();
    },
    async join(channel) {
      if (!isConnected) return;
      outbox.add(['join', channel]);
      await answer();
    },
    leave(channel) {
      if (isConnected) outbox.add(['leave', channel]);
    },
    receive(messages) {
      if (!isConnected) return;
      for (const message of messages) handle(message);
    },
    disconnect,
    async close() {
      // A supervisor that is stuck must not keep this one from ending.
      if (isConnected) await waitAtMost(closeMilliseconds, outbox.drained());
      disconnect();
    },
  };
}

/** For the process that the hub runs in. */
export function connectToHub(hub: ProcessHub): ProcessTransport {
  const transport = createProcessTransport({
    reach: hub.reach,
    post(requests, written) {
      member.receive(requests);
      written();
    },
  });
  const member = hub.add((messages, written) => {
    transport.receive(messages);
    written();
  });
  return transport;
}
