import { microseconds } from '../monotonic.ts';

/** Longer than the last event and any stamp, so that none is lost between two chunks. */
const kept = 400;

export interface LagReading {
  /** Milliseconds that each token took from the model's hands; empty when tokens do not tell. */
  readonly lags: readonly number[];
  /** Takes the next chunk of a stream and returns it behind the end of what came before. */
  push(chunk: string): string;
  /** The end of what came so far. */
  tail(): string;
}

/** Finds the tokens of a paced reply, each of which says when it was written. */
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
