import { vi } from 'vitest';
import type {
  Exchange,
  IncomingCall,
  IncomingDecision,
  Line,
  LineEnd,
} from '../../../src/voice/transports/transport.ts';

/** A line and all that it has reported. */
export interface RecordedLine {
  line: Line;
  audio: Buffer[];
  digits: string[];
  ends: LineEnd[];
}

/** An exchange that writes down what it is told. */
export interface RecordedExchange extends Exchange {
  decide: (call: IncomingCall) => IncomingDecision | Promise<IncomingDecision>;
  incomingCalls: IncomingCall[];
  rang: string[];
  lines: Map<string, RecordedLine>;
  ends: Map<string, LineEnd>;
  lineOf(callId: string): Promise<RecordedLine>;
  endOf(callId: string): Promise<LineEnd>;
}

export function createRecordedExchange(): RecordedExchange {
  let count = 0;
  const exchange: RecordedExchange = {
    decide: () => ({ accept: true, callId: `in-${(count += 1)}`, maxSeconds: 60 }),
    incomingCalls: [],
    rang: [],
    lines: new Map(),
    ends: new Map(),
    async incoming(call) {
      exchange.incomingCalls.push(call);
      return exchange.decide(call);
    },
    async ringing(callId) {
      exchange.rang.push(callId);
    },
    async connected(callId, line) {
      const record: RecordedLine = { line, audio: [], digits: [], ends: [] };
      exchange.lines.set(callId, record);
      line.listen({
        onAudio: (frame) => record.audio.push(frame),
        onDigit: (digit) => record.digits.push(digit),
        onEnd: (end) => record.ends.push(end),
      });
    },
    async ended(callId, end) {
      exchange.ends.set(callId, end);
    },
    lineOf: (callId) => vi.waitUntil(() => exchange.lines.get(callId), { timeout: 60_000, interval: 10 }),
    endOf: (callId) =>
      vi.waitUntil(() => exchange.lines.get(callId)?.ends[0] ?? exchange.ends.get(callId), {
        timeout: 60_000,
        interval: 10,
      }),
  };
  return exchange;
}
