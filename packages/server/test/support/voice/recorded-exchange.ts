import { vi } from 'vitest';
import type {
  Exchange,
  IncomingCall,
  IncomingDecision,
  Line,
  LineEnd,
  Refusal,
} from '../../../src/voice/transports/call-transport.ts';
import { patienceMs } from '../patience.ts';

/** A line and all that it has reported. */
export interface RecordedLine {
  line: Line;
  audio: Buffer[];
  digits: string[];
  ends: LineEnd[];
}

/** An exchange that writes down what it is told. */
export interface RecordedExchange extends Exchange {
  /** Of a call that is announced, and may be forged. */
  foresee: (call: IncomingCall) => Refusal | undefined | Promise<Refusal | undefined>;
  decide: (call: IncomingCall) => IncomingDecision | Promise<IncomingDecision>;
  /** Those that were announced, and the ids of those that are not expected any more. */
  incomingCalls: IncomingCall[];
  released: string[];
  /** Those that were confirmed. */
  confirmedCalls: IncomingCall[];
  rang: string[];
  lines: Map<string, RecordedLine>;
  ends: Map<string, LineEnd>;
  lineOf(callId: string): Promise<RecordedLine>;
  endOf(callId: string): Promise<LineEnd>;
}

export function createRecordedExchange(): RecordedExchange {
  let count = 0;
  const exchange: RecordedExchange = {
    foresee: () => undefined,
    decide: () => ({ accept: true, callId: `in-${(count += 1)}`, maxSeconds: 60 }),
    incomingCalls: [],
    released: [],
    confirmedCalls: [],
    rang: [],
    lines: new Map(),
    ends: new Map(),
    async expect(call) {
      exchange.incomingCalls.push(call);
      const refusal = await exchange.foresee(call);
      return refusal ?? { accept: true, release: () => void exchange.released.push(call.networkId) };
    },
    async incoming(call) {
      exchange.confirmedCalls.push(call);
      return exchange.decide(call);
    },
    find: async () => undefined,
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
    lineOf: (callId) => vi.waitUntil(() => exchange.lines.get(callId), { timeout: patienceMs, interval: 10 }),
    endOf: (callId) =>
      vi.waitUntil(() => exchange.lines.get(callId)?.ends[0] ?? exchange.ends.get(callId), {
        timeout: patienceMs,
        interval: 10,
      }),
  };
  return exchange;
}
