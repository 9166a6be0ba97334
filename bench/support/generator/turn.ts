import { randomUUID } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { microseconds } from '../monotonic.ts';
import type { TurnsJob } from './job.ts';

export interface Turn {
  first: number;
  whole: number;
  /** Milliseconds that each token took from the model's hands; empty when tokens do not tell. */
  lags: number[];
}

const agent = new Agent({ keepAlive: true, scheduling: 'lifo' });
const tokensPerTurn = 60;
/** Longer than the last event and any stamp, so that none is lost between two chunks. */
const kept = 400;

/** One message and its whole answer. Anything but a complete reply throws: errors are quick to give. */
export function runTurn(job: TurnsJob): Promise<Turn> {
  const { url, headers, endMark } = job;
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
      if (outgoing.reusedSocket && error.code === 'ECONNRESET') resolve(runTurn(job));
      else reject(error);
    });
    outgoing.end(JSON.stringify(bodyOf(job)));
  });
}

function bodyOf({ body, newUsers }: TurnsJob): object {
  return newUsers ? { ...body, external_user_id: randomUUID() } : body;
}

function createReading(started: number) {
  const lags: number[] = [];
  let newest = 0;
  let first: number | undefined;
  let tail = '';
  return {
    push(chunk: string): void {
      const text = tail + chunk;
      if (first === undefined && /token0 |@\d+ /.test(text)) first = performance.now() - started;
      if (text.includes('@')) {
        const now = microseconds();
        for (const [, stamp] of text.matchAll(/@(\d+) /g)) {
          // A whole message repeats what was seen before.
          if (Number(stamp) <= newest) continue;
          newest = Number(stamp);
          lags.push((now - newest) / 1000);
        }
      }
      tail = text.slice(-kept);
    },
    finish(endMark: string): Turn | undefined {
      const isWhole = lags.length === 0 || lags.length === tokensPerTurn;
      if (first === undefined || !isWhole || !tail.includes(endMark)) return undefined;
      return { first, whole: performance.now() - started, lags };
    },
    tail: () => tail,
  };
}
