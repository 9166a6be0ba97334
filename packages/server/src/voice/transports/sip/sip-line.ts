import type { SipCall } from '@svc/sip/calls/sip-call';
import type { Transfer } from '@svc/sip/calls/transfer';
import { type Line, type LineEnd, type LineEvents, TransferFailed } from '../call-transport.ts';

/** What is received before `listen` is kept: 10 seconds of audio. */
const maxKept = 500;

/** A call as the exchange sees it. */
export function createSipLine(call: SipCall, transfer: Transfer): Line {
  const { playout } = call.media;
  let events: LineEvents | undefined;
  let kept: ((events: LineEvents) => void)[] = [];
  let isOver = false;
  let isTransferring = false;

  function report(event: (events: LineEvents) => void): void {
    if (events) event(events);
    else if (kept.length < maxKept) kept.push(event);
  }

  function end(how: LineEnd): void {
    if (isOver) return;
    isOver = true;
    playout.clear();
    if (kept.length === maxKept) kept.pop();
    report((listener) => listener.onEnd(how));
  }

  call.listen({
    onAudio: (frame) => report((listener) => listener.onAudio(frame)),
    onDigit: (digit) => report((listener) => listener.onDigit(digit)),
    onEnd: end,
  });

  return {
    format: call.media.format,
    get dialog() {
      return call.stored;
    },
    listen(listener) {
      const missed = kept;
      events = listener;
      kept = [];
      for (const event of missed) event(listener);
    },
    send(audio) {
      if (!isOver) playout.push(audio);
    },
    clear() {
      if (!isOver) playout.clear();
    },
    get playedMs() {
      return playout.playedMs;
    },
    get queuedMs() {
      return playout.queuedMs;
    },
    async transfer(to, announcement) {
      if (isOver || isTransferring) throw new TransferFailed('The call is over, or is being transferred.');
      isTransferring = true;
      try {
        const spoken = await announcement?.speak().catch((error: unknown) => {
          throw new TransferFailed('The announcement could not be spoken.', { cause: error });
        });
        const outcome = await transfer(to, spoken);
        if (outcome !== 'transferred') throw new TransferFailed(outcome.failed);
        // After a referral the call has reported its end itself; two connected calls continue without us.
        end({ cause: 'transferred' });
      } finally {
        isTransferring = false;
      }
    },
    hangUp() {
      if (!isOver) call.hangUp();
    },
  };
}
