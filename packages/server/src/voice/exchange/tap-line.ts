import type { Line, LineNotice } from '../transports/call-transport.ts';

/** What is told of a line besides the talk on it. */
export interface LineTaps {
  /** A frame of the other side. */
  caller?(frame: Buffer): void;
  /** What is sent to the other side. */
  bot?(audio: Buffer): void;
  /** Before what was sent and not played is discarded. */
  clear?(): void;
  key?(): void;
  show?(notice: LineNotice): void;
}

/** The same line, with what happens on it also told to others. */
export function tapLine(line: Line, taps: LineTaps): Line {
  const { networkId, reportsTransfers } = line;
  return {
    format: line.format,
    ...(networkId !== undefined && { networkId }),
    ...(reportsTransfers !== undefined && { reportsTransfers }),
    listen(events) {
      line.listen({
        onAudio(frame) {
          taps.caller?.(frame);
          events.onAudio(frame);
        },
        onDigit(digit) {
          taps.key?.();
          events.onDigit(digit);
        },
        onEnd: (end) => events.onEnd(end),
      });
    },
    send(audio) {
      taps.bot?.(audio);
      line.send(audio);
    },
    clear() {
      taps.clear?.();
      line.clear();
    },
    get playedMs() {
      return line.playedMs;
    },
    get queuedMs() {
      return line.queuedMs;
    },
    transfer: (to, announcement) => line.transfer(to, announcement),
    get passedOn() {
      return line.passedOn;
    },
    hangUp: () => line.hangUp(),
    show(notice) {
      taps.show?.(notice);
      line.show?.(notice);
    },
  };
}
