import type { Line, LineEvents, LineNotice } from '../transports/call-transport.ts';

export interface LineRecorder {
  caller(frame: Buffer): void;
  bot(audio: Buffer): void;
  clear(): void;
  key(): void;
  show(notice: LineNotice): void;
}

/** The same line, with everything that is heard on it also given to the recorder. */
export function recordLine(line: Line, recorder: LineRecorder): Line {
  return {
    format: line.format,
    get networkId() {
      return line.networkId as string;
    },
    listen(events: LineEvents) {
      line.listen({
        onAudio(frame) {
          recorder.caller(frame);
          events.onAudio(frame);
        },
        onDigit(digit) {
          recorder.key();
          events.onDigit(digit);
        },
        onEnd: events.onEnd,
      });
    },
    send(audio) {
      recorder.bot(audio);
      line.send(audio);
    },
    clear() {
      recorder.clear();
      line.clear();
    },
    get playedMs() {
      return line.playedMs;
    },
    get queuedMs() {
      return line.queuedMs;
    },
    transfer: (to) => line.transfer(to),
    get reportsTransfers() {
      return line.reportsTransfers ?? false;
    },
    get passedOn() {
      return line.passedOn;
    },
    hangUp: () => line.hangUp(),
    show(notice) {
      recorder.show(notice);
      line.show?.(notice);
    },
  };
}
