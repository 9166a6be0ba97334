import { AppError } from '../../lib/app-error.ts';
import { createMemoryCounter } from '../../limits/memory-counter.ts';

const requestsPerMinute = 240;

/** Bounds what one visitor can request of this process. A visitor is named by any unique text. */
export interface VisitorRates {
  /** Throws RATE_LIMITED above 240 requests a minute. */
  countRequest(visitor: string): Promise<void>;
}

export function createVisitorRates(): VisitorRates {
  const counter = createMemoryCounter();

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
  };
}
