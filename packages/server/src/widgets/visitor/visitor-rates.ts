import { AppError } from '../../app-error.ts';
import { createMemoryCounter } from '../../limits/memory-counter.ts';

const requestsPerMinute = 240;
const maxStreams = 12;

/** Bounds what one visitor can request of this process, and keep open in it. A visitor is named by any unique text. */
export interface VisitorRates {
  /** Throws RATE_LIMITED above 240 requests a minute. */
  countRequest(visitor: string): Promise<void>;
  /** Throws RATE_LIMITED if the visitor has 12 open streams. Returns a function to call when the stream has ended. */
  openStream(visitor: string): () => void;
}

export function createVisitorRates(): VisitorRates {
  const counter = createMemoryCounter();
  const streams = new Map<string, number>();

  return {
    async countRequest(visitor) {
      const quota = { name: visitor, limit: requestsPerMinute, windowSeconds: 60 };
      const { isAdmitted, millisecondsLeft } = await counter.add([quota]);
      if (isAdmitted) return;
      const seconds = Math.max(1, Math.ceil(millisecondsLeft / 1_000));
      throw new AppError('RATE_LIMITED', {
        message: `More than ${requestsPerMinute} requests within a minute: wait ${seconds} seconds.`,
        details: [{ limit: 'visitor_requests_per_minute', value: requestsPerMinute }],
        retryAfterSeconds: seconds,
      });
    },

    openStream(visitor) {
      const open = streams.get(visitor) ?? 0;
      if (open >= maxStreams) {
        throw new AppError('RATE_LIMITED', {
          message: `This visitor has ${maxStreams} open streams: close some of them.`,
          details: [{ limit: 'visitor_streams', value: maxStreams }],
          retryAfterSeconds: 5,
        });
      }
      streams.set(visitor, open + 1);
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        const left = (streams.get(visitor) ?? 0) - 1;
        if (left > 0) streams.set(visitor, left);
        else streams.delete(visitor);
      };
    },
  };
}
