import { microseconds } from '../monotonic.ts';

/** Longer than the last event and any stamp, so that none is lost between two chunks. */
const kept = 400;

export interface LagReading {
  /** Milliseconds that each token took since the model wrote it; empty if the reply is not paced. */
  readonly lags: readonly number[];
  /** Takes the next chunk of a stream and returns it with the end of the previous ones before it. */
  push(chunk: string): string;
  /** The end of the stream so far. */
  tail(): string;
}

/** Finds the tokens of a paced reply, each of which contains the time when it was written. */
export function createLagReading(): LagReading {
  const lags: number[] = [];
  let newest = 0;
  let tail = '';
  return {
    lags,
    push(chunk) {
      const text = tail + chunk;
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
      return text;
    },
    tail: () => tail,
  };
}
