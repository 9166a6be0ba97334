import { silence } from '../../../audio/format.ts';
import type { SipCall } from './sip-call.ts';

/** Connects the audio of two calls, until one of them ends. Its time limit ends both. */
export function bridge(one: SipCall, other: SipCall): void {
  connect(one, other);
  connect(other, one);
}

/** Nothing more than this waits for a phone that is on hold. */
const maxWaitingMs = 200;
/** Packets may be late by this much before it is heard. */
const cushion = silence('mulaw-8000', 40);

function connect(from: SipCall, to: SipCall): void {
  const { playout } = to.media;
  playout.push(cushion);
  from.listen({
    onAudio(frame) {
      if (playout.queuedMs - playout.playedMs > maxWaitingMs) {
        playout.clear();
        playout.push(cushion);
      }
      playout.push(frame);
    },
    onDigit: (digit) => to.media.press(digit),
    onEnd: () => to.hangUp(),
  });
}
