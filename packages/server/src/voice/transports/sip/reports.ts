import type { Log } from '../../../lib/log.ts';
import type { Exchange, Line, LineEnd } from '../call-transport.ts';

export type Reports = ReturnType<typeof createReports>;

/** Reports to the exchange without waiting for it. */
export function createReports(exchange: Exchange, log: Log) {
  const report = (work: Promise<void>) => {
    work.catch((error: unknown) => log.error({ err: error }, 'A report about a call failed.'));
  };
  return {
    ringing: (callId: string) => report(exchange.ringing(callId)),
    connected: (callId: string, line: Line) => report(exchange.connected(callId, line)),
    ended: (callId: string, end: LineEnd) => report(exchange.ended(callId, end)),
  };
}
