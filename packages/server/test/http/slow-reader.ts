import { type IncomingMessage, request } from 'node:http';

export interface SlowReader {
  status: number;
  headers: IncomingMessage['headers'];
  /** Reads and discards about this many more bytes, or the rest. False at the end of the response. */
  take(bytes: number): Promise<boolean>;
  taken(): number;
  /** Whether the response ended properly. */
  isComplete(): boolean;
  close(): void;
}

/** Sends a request over a new connection and reads the response only when the test asks for more. */
export async function readSlowly(url: string, key: string): Promise<SlowReader> {
  const outgoing = request(url, { agent: false, headers: { authorization: `Bearer ${key}` } });
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject).end();
  });
  outgoing.on('error', () => undefined);
  let taken = 0;
  let isOver = false;
  let look = (): void => undefined;
  incoming.on('error', () => undefined);
  incoming.once('close', () => {
    isOver = true;
    look();
  });
  incoming.on('data', (piece: Buffer) => {
    taken += piece.length;
    look();
  });
  incoming.pause();
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    async take(bytes) {
      const enough = taken + bytes;
      incoming.resume();
      await new Promise<void>((resolve) => {
        look = () => {
          if (isOver || taken >= enough) resolve();
        };
        look();
      });
      incoming.pause();
      return !isOver;
    },
    taken: () => taken,
    isComplete: () => incoming.complete,
    close: () => void outgoing.destroy(),
  };
}
