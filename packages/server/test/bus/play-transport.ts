import type { Transport, TransportHandlers } from '../../src/bus/bus-transport.ts';

interface PlayedTransport extends Transport {
  texts: [channel: string, text: string][];
  joined: Set<string>;
  /** How many other processes receive what is sent. */
  others: number | undefined | Promise<number>;
  handlers: TransportHandlers;
  /** Another process sends this. */
  receive(channel: string, content: unknown): void;
  notices(): { lost?: boolean }[];
}

/** A transport whose connection is played by the test. */
export function playTransport(): PlayedTransport {
  const played: PlayedTransport = {
    texts: [],
    joined: new Set(),
    others: 1,
    handlers: { onText: notStarted, onConnected: notStarted, onDisconnected: notStarted },
    start(handlers) {
      played.handlers = handlers;
    },
    async send(channel, text) {
      played.texts.push([channel, text]);
      return played.others;
    },
    join: async (channel) => void played.joined.add(channel),
    leave: (channel) => void played.joined.delete(channel),
    close: async () => undefined,
    receive: (channel, content) => played.handlers.onText(channel, `other ${JSON.stringify(content)}`),
    notices: () =>
      played.texts
        .filter(([channel]) => channel === 'bus')
        .map(([, text]) => contentOf(text) as { lost?: boolean }),
  };
  return played;
}

/** What a text says after the name of its sender. */
export function contentOf(text: string): unknown {
  return JSON.parse(text.slice(text.indexOf(' ') + 1));
}

function notStarted(): never {
  throw new Error('The transport was not started.');
}
