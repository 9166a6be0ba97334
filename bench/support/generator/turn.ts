import { Agent, request as httpRequest } from 'node:http';
import { tokensPerTurn } from './job.ts';
import { createLagReading } from './lag-reading.ts';

export interface Turn {
  first: number;
  whole: number;
  /** Milliseconds that each token took from the model's hands; empty when tokens do not tell. */
  lags: readonly number[];
}

/** A message to one address. */
export interface Message {
  url: string;
  headers: Record<string, string>;
  body: object;
  endMark: string;
}

const agent = new Agent({ keepAlive: true, scheduling: 'lifo' });

/** One message and its whole answer. Anything but a complete reply throws: errors are quick to give. */
export function runTurn(message: Message): Promise<Turn> {
  const { url, headers, body, endMark } = message;
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      url,
      { method: 'POST', agent, headers: { ...headers, 'content-type': 'application/json' } },
      (incoming) => {
        const reading = createReading(started);
        incoming.setEncoding('latin1');
        incoming.on('data', reading.push);
        incoming.once('error', reject);
        incoming.once('end', () => {
          const turn = reading.finish(endMark);
          if (incoming.statusCode === 200 && turn) resolve(turn);
          else reject(new Error(`A turn failed with ${incoming.statusCode}: ${reading.tail()}`));
        });
      },
    );
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      // A connection that was kept from an earlier round, and that the server closed just now: it saw nothing.
      if (outgoing.reusedSocket && error.code === 'ECONNRESET') resolve(runTurn(message));
      else reject(error);
    });
    outgoing.end(JSON.stringify(body));
  });
}

function createReading(started: number) {
  const reading = createLagReading();
  let first: number | undefined;
  return {
    push(chunk: string): void {
      const text = reading.push(chunk);
      if (first === undefined && /token0 |@\d+ /.test(text)) first = performance.now() - started;
    },
    finish(endMark: string): Turn | undefined {
      const { lags } = reading;
      const isWhole = lags.length === 0 || lags.length === tokensPerTurn;
      if (first === undefined || !isWhole || !reading.tail().includes(endMark)) return undefined;
      return { first, whole: performance.now() - started, lags };
    },
    tail: reading.tail,
  };
}
