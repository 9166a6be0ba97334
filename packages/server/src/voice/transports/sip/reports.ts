import type { Log } from '../../../lib/log.ts';
import type { Exchange, Line, LineEnd } from '../call-transport.ts';

/** Reports to the exchange without waiting for it. */
export interface Reports {
  ringing(callId: string): void;
  connected(callId: string, line: Line): void;
  ended(callId: string, end: LineEnd): void;
}

export function createReports(exchange: Exchange, log: Log): Reports {
  const report = (work: Promise<void>) => {
    work.catch((error: unknown) => log.error({ err: error }, 'A report about a call failed.'));
  };
  return {
    ringing: (callId) => report(exchange.ringing(callId)),
    connected: (callId, line) => report(exchange.connected(callId, line)),
    ended: (callId, end) => report(exchange.ended(callId, end)),
  };
}
