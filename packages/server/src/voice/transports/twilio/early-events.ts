import type { LineEnd, LineEvents } from '../call-transport.ts';

/** Five seconds of audio: the line has a listener long before that, or the call is over. */
const maxEarly = 250;

/** Keeps what happens on a line until it has a listener. */
export function createEarlyEvents(): LineEvents & { listen(events: LineEvents): void } {
  let listener: LineEvents | undefined;
  let kept: ((events: LineEvents) => void)[] = [];

  function pass(event: (events: LineEvents) => void): void {
    if (listener) return event(listener);
    kept.push(event);
    // By then the oldest event is audio that is no longer useful.
    if (kept.length > maxEarly) kept.shift();
  }

  return {
    listen(events) {
      if (listener) throw new Error('The line already has a listener.');
      const early = kept;
      kept = [];
      listener = events;
      for (const event of early) event(events);
    },
    onAudio: (frame) => pass((events) => events.onAudio(frame)),
    onDigit: (digit) => pass((events) => events.onDigit(digit)),
    onEnd: (end: LineEnd) => pass((events) => events.onEnd(end)),
  };
}
