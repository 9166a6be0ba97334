import type { SipCall } from './sip-call.ts';

/** Connects the audio of two calls, until one of them ends. Its time limit ends both. */
export function bridge(one: SipCall, other: SipCall): void {
  connect(one, other);
  connect(other, one);
}

/** Nothing more than this waits for a phone that is on hold. */
const maxWaitingMs = 200;

function connect(from: SipCall, to: SipCall): void {
  const { playout } = to.media;
  from.listen({
    onAudio(frame) {
      if (playout.queuedMs - playout.playedMs > maxWaitingMs) playout.clear();
      playout.push(frame);
    },
    onDigit: (digit) => to.media.press(digit),
    onEnd: () => to.hangUp(),
  });
}
